import type { Clock } from '../../clock.ts'
import type { Committer } from '../../store/embedded/committer.ts'
import { groupCommits } from '../../store/embedded/group-commits.ts'
import type { Group, Outcome, SqliteEngine } from '../../store/embedded/sqlite-engine.ts'
import type { StatementName } from '../../store/embedded/sqlite-sql.ts'
import type { Scene } from '../scene.ts'
import { type Life, within } from '../timeline.ts'

/** The disk under a SQLite store, and how it is doing. */
export interface Disk {
  mood: 'well' | 'slow' | 'full'
  /** What commits for one process. What is not yet written when the process ends is lost. */
  committerOf(life: Life, clock: Clock): Committer
}

const WRITE_MS = { well: 4, slow: 400, full: 4 }
const ANSWER_MS = 2
/** What is only read is read from a full disk too. */
const reads: ReadonlySet<StatementName> = new Set(['openAccounts', 'liveKeys', 'entries'])

function commitToFull(engine: SqliteEngine, group: Group): Outcome {
  if (!group.every(({ name }) => reads.has(name))) return { error: 'database or disk is full', isBug: false }
  const [outcome] = engine.commit([group])
  return outcome ?? { rows: [] }
}

export function openDisk({ timeline, draw, say }: Scene, engine: SqliteEngine): Disk {
  const disk: Disk = {
    mood: 'well',
    committerOf(life, clock) {
      const commits = groupCommits(
        (groups) => {
          timeline.after(draw.delayMs(WRITE_MS[disk.mood]), () => {
            if (life.isOver) return
            say?.(
              `the disk, which is ${disk.mood}, gets ${groups.map((group) => group.map(({ name }) => name).join('+')).join(', ')}`,
            )
            const outcomes =
              disk.mood === 'full' ? groups.map((group) => commitToFull(engine, group)) : engine.commit(groups)
            timeline.after(draw.delayMs(ANSWER_MS), () => within(timeline, life, () => commits.answered(outcomes)))
          })
        },
        (work) => clock.after(0, work),
      )
      return { commit: commits.commit, close: async () => {} }
    },
  }
  return disk
}
