import type { Process } from '../scene.ts'

/** A process that does not reach the database for as long may find its holds freed. */
const AWAY_MS = 1000
/** Between two troubles that are no further apart, a process may not come to renew its lease: it does so four times in two seconds. */
const RENEWAL_MS = 500

interface Trouble {
  /** The process that has it; trouble of the database is everybody's. */
  readonly of: Process | undefined
  readonly fromMs: number
  readonly toMs: number
}

/** What keeps processes from their database, and when. */
export class Troubles {
  readonly #all: Trouble[] = []

  note(trouble: Trouble): void {
    this.#all.push(trouble)
  }

  /**
   * Whether others may have freed the holds of the process: for a second or longer it hardly reached the database, for reasons
   * of its own and not only with all others. Trouble of the database alone is no reason, for then everybody's leases last longer.
   */
  mayHaveBeenAway(process: Process): boolean {
    const troubles = this.#all.filter(({ of }) => of === undefined || of === process)
    return joined(troubles).some(({ fromMs, toMs, isOwn }) => isOwn && toMs - fromMs >= AWAY_MS)
  }
}

interface Spell {
  readonly fromMs: number
  toMs: number
  isOwn: boolean
}

function joined(troubles: readonly Trouble[]): readonly Spell[] {
  const spells: Spell[] = []
  for (const { of, fromMs, toMs } of troubles.toSorted((one, other) => one.fromMs - other.fromMs)) {
    const last = spells.at(-1)
    const isOwn = of !== undefined
    if (last === undefined || fromMs > last.toMs + RENEWAL_MS) spells.push({ fromMs, toMs, isOwn })
    else {
      last.toMs = Math.max(last.toMs, toMs)
      last.isOwn ||= isOwn
    }
  }
  return spells
}
