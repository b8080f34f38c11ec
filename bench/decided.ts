/** The fields of a JSON report that the count needs. */
export interface JudgedReport {
  readonly run: { readonly requests: number; readonly durationMs: number }
  readonly results: readonly Judged[]
}

interface Judged {
  readonly id: string
  readonly verdict: string
  readonly cause?: string
  readonly reason?: string
  readonly by?: string
  readonly what?: string
  readonly expected?: string
  readonly actual?: string
}

/** How much of a run was decided. */
export interface Decided {
  readonly decided: number
  /** All checks but those that need more than the client was given. */
  readonly decidable: number
  readonly failed: readonly { readonly id: string; readonly said: string }[]
  /** The undecided checks by their reason, the most frequent first. */
  readonly undecided: readonly { readonly reason: string; readonly ids: readonly string[] }[]
  readonly durationS: number
  readonly requests: number
}

/** A check that stands behind a failure is decided: what fails it is known. */
export function decidedOf({ run, results }: JudgedReport): Decided {
  const decidable = results.filter(({ verdict, cause }) => !(verdict === 'untestable' && cause === 'capability'))
  const undecided = decidable.filter(({ verdict }) => verdict === 'untestable' || verdict === 'error')
  const byReason = Map.groupBy(undecided, ({ reason = 'an error of the harness' }) => reason)
  return {
    decided: decidable.length - undecided.length,
    decidable: decidable.length,
    failed: results
      .filter(({ verdict }) => verdict === 'fail')
      .map(({ id, what, expected, actual }) => ({ id, said: `${what}: expected ${expected}, got ${actual}` })),
    undecided: [...byReason]
      .map(([reason, some]) => ({ reason, ids: some.map(({ id }) => id) }))
      .sort((one, other) => other.ids.length - one.ids.length),
    durationS: run.durationMs / 1000,
    requests: run.requests,
  }
}
