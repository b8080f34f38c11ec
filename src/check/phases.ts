import type { CheckId } from './check-ids.ts'

/** When a check runs: each phase begins when the one before it is over, so that what matters most is known whenever a run ends. */
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

/** None of these waits for the slowest check of one before it: it begins when all of that one's are under way. */
const overlapping: ReadonlySet<Phase> = new Set(['main', 'odd', 'random'])

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

/** The phases of one run. */
export interface PhasesOfRun {
  /** Resolves when checks of this phase may begin. */
  reach(phase: Phase): Promise<void>
  /** A check is under way. */
  begin(id: CheckId): void
}

export function phasesOfRun<Planned extends { readonly id: CheckId }>(
  planned: readonly Planned[],
  { phaseOf, resultOf, over, after }: PhaseParts<Planned>,
): PhasesOfRun {
  const begun = new Map<CheckId, PromiseWithResolvers<void>>(planned.map(({ id }) => [id, Promise.withResolvers()]))
  const ends = new Map<Phase, Promise<unknown>>()
  const checksOf = (phase: Phase): readonly Planned[] => planned.filter((check) => phaseOf(check) === phase)

  async function allOf(phase: Phase): Promise<void> {
    await Promise.all(checksOf(phase).map(({ id }) => resultOf(id)))
    await after[phase]?.()
  }
  function endOf(phase: Phase): Promise<unknown> {
    const end = ends.get(phase) ?? Promise.race([allOf(phase), over])
    ends.set(phase, end)
    return end
  }
  function isUnderWay(phase: Phase): Promise<unknown> {
    return Promise.all(checksOf(phase).map(({ id }) => Promise.race([begun.get(id)?.promise, resultOf(id)])))
  }

  return {
    async reach(phase) {
      for (const earlier of phases.slice(0, phases.indexOf(phase)))
        await (overlapping.has(earlier) && overlapping.has(phase) ? isUnderWay(earlier) : endOf(earlier))
    },
    begin: (id) => begun.get(id)?.resolve(),
  }
}
