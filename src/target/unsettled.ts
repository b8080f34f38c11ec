/**
 * Why a check could not decide: something it needs was not given, the target answered this time so and that time
 * otherwise, the model's text allows no conclusion, or the budget was spent.
 */
export type UnsettledCause = 'capability' | 'target' | 'text' | 'budget'

/** Thrown where a check can't go on to a verdict of pass or fail. It says nothing against the target. */
export class Unsettled extends Error {
  override readonly name = 'Unsettled'
  readonly causedBy: UnsettledCause

  constructor(causedBy: UnsettledCause, reason: string) {
    super(reason)
    this.causedBy = causedBy
  }
}
