/**
 * Why a check could not decide: something it needs was not given, the target answered the same request differently, the
 * model's text proves nothing, or the budget was spent.
 */
export type UnsettledCause = 'capability' | 'target' | 'text' | 'budget'

/** Why a check that an interruption left undecided could not decide. */
export const interruption = 'the run was interrupted'

/** Why a check that the end of the run's time left undecided could not decide. */
export function timeIsUp(durationMsMax: number): string {
  return `--max-time ${Math.round(durationMsMax / 1000)} is used up`
}

/** Thrown when a check cannot decide between pass and fail. It says nothing against the target. */
export class Unsettled extends Error {
  override readonly name = 'Unsettled'
  readonly causedBy: UnsettledCause

  constructor(causedBy: UnsettledCause, reason: string) {
    super(reason)
    this.causedBy = causedBy
  }
}
