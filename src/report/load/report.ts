import { countOf } from '../../count.ts'
import type { Pairs, Repeated, SweepPoint } from '../../load/experiments.ts'
import { metricNames, metrics } from '../../load/figures/metrics.ts'
import type { LoadResult } from '../../load/figures/result.ts'
import type { Knee } from '../../load/knee.ts'
import type { ProbeResult } from '../../load/probes.ts'
import { seriesWords } from '../../load/schedule/load-words.ts'
import type { LoadPlan } from '../../load/schedule/plan.ts'

/** A load run, in the one shape that every format renders. */
export interface LoadReport {
  readonly harness: { readonly name: string; readonly version: string }
  readonly target: { readonly baseUrl: string; readonly apiPath: string; readonly model: string }
  readonly plan: ToldPlan
  /** ISO 8601. */
  readonly startedAt: string
  readonly durationMs: number
  readonly gate: { readonly exitCode: number; readonly reason: string }
  readonly main: Repeated
  readonly sweep?: readonly SweepPoint[]
  readonly knee?: Knee
  readonly baseline?: Pairs & { readonly baseUrl: string }
  readonly probes?: readonly ProbeResult[]
  readonly machine: { readonly cores: number; readonly node: string; readonly platform: string }
}

/** What a report says of a plan: not its headers, which hold keys. */
export type ToldPlan = Omit<LoadPlan, 'url' | 'headers' | 'model'>

export function describePlan({ arrivals, ...plan }: ToldPlan): object {
  const {
    durationMs,
    requestsMax,
    warmupMs,
    drainMs,
    limits,
    stream,
    maxTokens,
    promptChars,
    shards,
    validateShare,
    leavingShare,
  } = plan
  return {
    arrivals:
      arrivals.kind === 'trace'
        ? { kind: 'trace', requests: arrivals.entries.length, connectionsMax: arrivals.connectionsMax }
        : arrivals,
    durationMs,
    ...(requestsMax !== undefined && { requestsMax }),
    warmupMs,
    drainMs,
    limits,
    stream,
    maxTokens,
    promptChars,
    shards,
    validateShare,
    leavingShare,
    objectives: plan.objectives.map(({ expression }) => expression),
  }
}

/** The load of a run, or all loads of a series. */
export function triedWords(plan: ToldPlan, series: readonly number[]): string {
  return series.length === 0 ? wordsOf(plan) : `${seriesWords(plan, series)}, ${plan.durationMs / 1000} s each`
}

export function loadsOf(points: readonly SweepPoint[]): readonly number[] {
  return points.map(({ value }) => value)
}

function wordsOf({ arrivals, durationMs }: ToldPlan): string {
  const seconds = `${durationMs / 1000} s`
  switch (arrivals.kind) {
    case 'closed':
      return `${countOf(arrivals.connections, 'connection')}, closed loop, ${seconds}`
    case 'trace':
      return `a trace of ${countOf(arrivals.entries.length, 'request')}`
    case 'open': {
      const rates = arrivals.stages.map(({ from, to }) => (from === to ? `${from}` : `${from}..${to}`)).join(', ')
      return `${rates} requests per second (${arrivals.process}), ${seconds}`
    }
  }
}

/** The formula of each metric, for `--help`. */
export function formulas(): string {
  return metricNames.map((name) => `  ${name.padEnd(6)}${metrics[name].formula} (${metrics[name].about})`).join('\n')
}

export function badOf({ outcomes }: LoadResult): number {
  return outcomes.sent - outcomes.ok - outcomes.abortedByUs
}
