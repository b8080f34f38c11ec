import type { Check } from '../check/check.ts'
import type { SerializedResult } from '../check/result.ts'
import type { VerdictKind } from '../check/verdict.ts'
import type { NodeDialect } from '../options/node-dialects.ts'
import type { NodesConfig, TargetConfig } from '../target/config.ts'
import type { Prepared } from '../target/prepare.ts'
import type { Root } from './roots.ts'
import type { Unasked } from './unasked.ts'

/** Counts of verdicts. */
type Counts = { readonly [K in VerdictKind]?: number }

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
  /** What to know before reading the verdicts, such as a key that is too short; none of it is a failure. */
  readonly notices?: readonly string[]
  readonly run: {
    /** ISO 8601. */
    readonly startedAt: string
    readonly durationMs: number
    readonly seed: number
    readonly runs: number
    /** Present if of each list only the values were tried that notice most faults. */
    readonly quick?: true
    readonly requests: number
    readonly tokens: number
    /** At the listed prices; null when the list names none. */
    readonly costUsd: number | null
  }
  /** Where the evidence of failures is, as the user would write it. */
  readonly evidenceFolder: string
  /** What a replay has to bring up; it goes only into the evidence. Absent in a report that was read from a file. */
  readonly replay?: ReplayFacts
  readonly gate: {
    readonly level: 'must' | 'should'
    /** Absent in a report of a release that knew only the whole contract. */
    readonly scope?: 'contract' | 'format'
    readonly exitCode: number
    readonly reason: string
  }
  readonly summary: Readonly<Record<Check['level'], Counts>>
  /** What there was neither time nor requests for. */
  readonly unasked?: Unasked
  /** What to mend first; empty in a report of a release that did not name it. */
  readonly roots: readonly Root[]
  /** What was learnt about the target before the first check; it goes only into the evidence. */
  readonly prepared?: Prepared
  /** What differs from a second gateway that was judged in the same way. */
  readonly against?: Against
  readonly results: readonly SerializedResult[]
}

/** How a run was set up, besides its address: enough to run one of its checks again. */
export interface ReplayFacts
  extends Pick<TargetConfig, 'unavailableModel' | 'contextWindow' | 'long' | 'costly' | 'load'> {
  /** Whether the target was the embedded reference gateway, which ended with the run. */
  readonly embedded: boolean
  /** Operator nodes that were played, at the addresses that the gateway knows. */
  readonly nodes?: readonly { readonly host: string; readonly port: number; readonly model: string }[]
  /** How long the run waited for what lags behind, and for an answer; absent in older evidence. */
  readonly settlingMs?: number
  readonly timeoutMs?: number
  /** The engine whose shapes the played nodes took. */
  readonly nodeDialect?: NodeDialect
  /** Where the checks told these nodes what to do. */
  readonly nodesConfig?: NodesConfig
  readonly controlUrl?: string
  /** The headers that were sent with every request; their values may be secrets, and are not kept. */
  readonly headerNames?: readonly string[]
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
  /** The gateway that fails the check; neither where both pass it, or where the contract is silent. */
  readonly departs: 'here' | 'there' | 'neither'
}

export function summarize(results: readonly Pick<SerializedResult, 'level' | 'verdict'>[]): Report['summary'] {
  const summary: Record<Check['level'], Partial<Record<VerdictKind, number>>> = { must: {}, should: {}, open: {} }
  for (const { level, verdict } of results) summary[level][verdict.kind] = (summary[level][verdict.kind] ?? 0) + 1
  return summary
}
