import { type Bug, honest, type World } from './bug.ts'
import { drawFrom } from './draw.ts'
import { runEmbedded } from './embedded/embedded-world.ts'
import type { Machine } from './machines.ts'
import { runReplicas } from './replicas/replicas-world.ts'
import type { Scene } from './scene.ts'
import { createTimeline } from './timeline.ts'

/** Worlds whose steps alternate: a turn of the event loop then serves all of them. */
const LANES = 32

/** What came of one seed. The same seed always comes to the same. */
export interface Verdict {
  readonly seed: number
  /** What was wrong, in the order in which it showed. */
  readonly problems: readonly string[]
  readonly requests: number
}

/** Worlds with replicas take longer, so they are the fewer. */
const REPLICAS_EVERY = 8

function worldOf(seed: number): World {
  return seed % REPLICAS_EVERY === 0 ? 'replicas' : 'embedded'
}

/** Simulates the world of a seed: `say` is told what happens in it, with its time. */
export async function simulate(seed: number, bug: Bug = honest, say?: (line: string) => void): Promise<Verdict> {
  const timeline = createTimeline()
  const draw = drawFrom(seed)
  const scene: Scene = {
    seed,
    timeline,
    draw,
    calendar: { aheadMs: 0 },
    bug,
    machines: machinesOf(),
    accounts: [],
    keys: [],
    asked: [],
    problems: [],
    say: say && ((what) => say(`${timeline.nowMs().toFixed(3)} ms: ${what}`)),
  }
  const run = worldOf(seed) === 'embedded' ? runEmbedded : runReplicas
  await run(scene).catch((error: unknown) => scene.problems.push(`the world ended: ${error}`))
  return { seed, problems: scene.problems, requests: scene.asked.length }
}

function machinesOf(): readonly Machine[] {
  const both = new Set(['small', 'large'])
  return [
    { id: 'north', serves: both, mood: 'well' },
    { id: 'south', serves: both, mood: 'well' },
    { id: 'east', serves: new Set(['large']), mood: 'well' },
  ]
}

/** Simulates seeds from `from` on, several at a time, until there are no more or one of them is enough. */
export async function simulateFrom(
  from: number,
  count: number,
  bug: Bug,
  isEnough: (verdict: Verdict) => boolean,
): Promise<void> {
  let next = from
  let isOver = false
  const lane = async (): Promise<void> => {
    while (!isOver && next < from + count) {
      const seed = next
      next += 1
      if (bug.world !== undefined && bug.world !== worldOf(seed)) continue
      if (isEnough(await simulate(seed, bug))) isOver = true
    }
  }
  await Promise.all(Array.from({ length: LANES }, lane))
}
