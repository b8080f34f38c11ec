import type { UnsettledCause } from '../target/unsettled.ts'

/** How to find a property's counterexample again. */
export interface Counterexample {
  readonly seed: number
  /** fast-check's path to the shrunk value. */
  readonly path: string
  /** The shrunk value as JSON text. */
  readonly value: string
}

export interface Failure {
  /** What it means, in a sentence about the gateway; absent in a report of a release that did not say it. */
  readonly wrong?: string
  /** What was looked at. */
  readonly what: string
  readonly expected: string
  readonly actual: string
  readonly counterexample?: Counterexample
}

/** The result of a check. Only `fail` says anything against the target. */
export type Verdict =
  | {
      readonly kind: 'pass'
      readonly proofs: number
      /** What was looked at, each once, as far as there is room; absent in a report of a release that did not say it. */
      readonly proved?: readonly string[]
    }
  | ({ readonly kind: 'fail' } & Failure)
  | { readonly kind: 'observed'; readonly value: unknown }
  | { readonly kind: 'not-applicable'; readonly reason: string }
  | { readonly kind: 'untestable'; readonly cause: UnsettledCause; readonly reason: string }
  | {
      readonly kind: 'blocked'
      /** The check whose failure is the cause. */
      readonly by: string
      /** What it saw itself, where it ran and failed for the same cause. */
      readonly saw?: Failure
      /** What that check saw, where it is not in the report because it was not selected. */
      readonly root?: Failure
    }
  | { readonly kind: 'error'; readonly message: string }

export type VerdictKind = Verdict['kind']

/** Whether a check saw a failure of its own, be it that it counts or that it stands behind one with the same cause. */
export function sawFailure(verdict: Verdict): boolean {
  return verdict.kind === 'fail' || (verdict.kind === 'blocked' && verdict.saw !== undefined)
}

export const verdictKinds = [
  'pass',
  'fail',
  'observed',
  'not-applicable',
  'untestable',
  'blocked',
  'error',
] as const satisfies readonly VerdictKind[]
