import type { Check } from '../check/check.ts'
import type { SealedResult } from '../check/sealed.ts'
import type { VerdictKind } from '../check/verdict.ts'
import type { Prepared } from '../target/prepare.ts'

/** Counts of verdicts. */
export type Counts = { readonly [K in VerdictKind]?: number }

/** A run, in the one shape that every format renders. */
export interface Report {
  readonly harness: { readonly name: string; readonly version: string }
  readonly contract: 'v1'
  readonly target: {
    readonly baseUrl: string
    readonly apiPath: string
    readonly models: readonly string[]
    readonly model: string | null
    readonly capabilities: readonly string[]
  }
  readonly run: {
    /** ISO 8601. */
    readonly startedAt: string
    readonly durationMs: number
    readonly seed: number
    readonly runs: number
    readonly requests: number
    readonly tokens: number
    /** At the listed prices; null when the list names none. */
    readonly costUsd: number | null
  }
  /** Where the evidence of failures is, as the user would write it. */
  readonly evidenceFolder: string
  readonly gate: { readonly level: 'must' | 'should'; readonly exitCode: number; readonly reason: string }
  readonly summary: Readonly<Record<Check['level'], Counts>>
  /** What was learnt of the target before the first check; it goes into the evidence alone. */
  readonly prepared?: Prepared
  /** What differs from a second gateway that was judged in the same way. */
  readonly against?: Against
  readonly results: readonly SealedResult[]
}

export interface Against {
  readonly baseUrl: string
  readonly differences: readonly Difference[]
}

/** One check on which two gateways differ. */
export interface Difference {
  readonly id: string
  readonly level: Check['level']
  /** Verdicts, or what was observed as JSON. */
  readonly here: string
  readonly there: string
  /** The gateway that departs from the contract; neither where both keep it, or where it is silent or undecided. */
  readonly departs: 'here' | 'there' | 'neither'
}

export function summarize(results: readonly Pick<SealedResult, 'level' | 'verdict'>[]): Report['summary'] {
  const summary: Record<Check['level'], Partial<Record<VerdictKind, number>>> = { must: {}, should: {}, open: {} }
  for (const { level, verdict } of results) summary[level][verdict.kind] = (summary[level][verdict.kind] ?? 0) + 1
  return summary
}
