import type { CheckId } from './check-ids.ts'

/**
 * When a check runs. A phase begins when the one before it is over, so that what matters most is known whenever a run ends; those in
 * `phasesSideBySide` only go before one another.
 */
export const phases = [
  'first', // what plain replies show; the samples of the audits are drawn at its end
  'early', // keys, limits, stop sequences
  'main', // every check that names no phase
  'odd', // wrong types, rare values and unusual requests
  'random', // random values, with what is left of the budget
  'audit', // looks at samples, and at every reply that the others received
  'last', // after all of these
  'exclusive', // one at a time: what disturbs others, or is disturbed by them
  'heavy', // one at a time: what may keep a target busy for long, such as a reply without a limit
  'end', // one at a time: what the rest may have left, and what waits longest
] as const
export type Phase = (typeof phases)[number]

/** What is ready of one of these goes before the next, which need not wait for its slowest check. */
const phasesSideBySide: ReadonlySet<Phase> = new Set(['early', 'main', 'odd', 'random'])

/** The phases whose checks run one at a time. */
export const phasesInTurn: ReadonlySet<Phase> = new Set(['exclusive', 'heavy', 'end'])

const untilMain = ['early', 'main', 'odd'] as const

/**
 * The phases that are one where what takes the least goes first: what is odd is mostly refused, and takes no time. Where requests go side
 * by side, replies need not wait for the first streams either.
 */
export const phasesMerged: Readonly<Record<'inTurn' | 'sideBySide', ReadonlySet<Phase>>> = {
  inTurn: new Set(untilMain),
  sideBySide: new Set(['first', ...untilMain]),
}

interface PhaseParts<Planned> {
  readonly phaseOf: (check: Planned) => Phase
  /** Resolves when a check has its result; starts it if nobody has. */
  readonly resultOf: (id: CheckId) => Promise<unknown>
  /** Resolves when nothing is waited for any more. */
  readonly over: Promise<unknown>
  /** What is done once all of a phase have their results. */
  readonly after: Partial<Readonly<Record<Phase, () => Promise<void>>>>
}

/** Resolves when checks of this phase may begin. */
export type Reach = (phase: Phase) => Promise<void>

export function reachIn<Planned extends { readonly id: CheckId }>(
  planned: readonly Planned[],
  { phaseOf, resultOf, over, after }: PhaseParts<Planned>,
): Reach {
  const ends = new Map<Phase, Promise<unknown>>()

  async function allOf(phase: Phase): Promise<void> {
    await Promise.all(planned.filter((check) => phaseOf(check) === phase).map(({ id }) => resultOf(id)))
    await after[phase]?.()
  }
  function endOf(phase: Phase): Promise<unknown> {
    const end = ends.get(phase) ?? Promise.race([allOf(phase), over])
    ends.set(phase, end)
    return end
  }

  return async (phase) => {
    const earlier = phases.slice(0, phases.indexOf(phase))
    const isBeside = (other: Phase): boolean => phasesSideBySide.has(phase) && phasesSideBySide.has(other)
    for (const other of earlier) if (!isBeside(other)) await endOf(other)
  }
}
