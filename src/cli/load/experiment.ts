import { runShards, type ShardsOptions, type ShardsResult } from '../../load/engine/shards.ts'
import {
  comparePairs,
  type Repeated,
  type Runner,
  repeatLoad,
  type SweepPoint,
  sweepLoad,
} from '../../load/experiments.ts'
import { interruptedResult, mergeResults } from '../../load/figures/result.ts'
import { findKnee } from '../../load/knee.ts'
import type { LoadPlan } from '../../load/schedule/plan.ts'
import type { LoadReport } from '../../report/load/report.ts'
import type { Contacted } from './contact.ts'
import { completionsUrl } from './plan.ts'
import type { LoadSettings } from './settings.ts'

export interface RunnerOptions extends ShardsOptions {
  readonly signal: AbortSignal
  readonly onNotice: (notice: string) => void
}

/** Runs plans in this process, or on the machines of a fleet, until the signal aborts. */
export async function runnerOf(settings: LoadSettings, options: RunnerOptions): Promise<Runner> {
  const carryOut = await carrierOf(settings, options)
  return async (plan) => {
    const result = mergeResults(plan, await carryOut(plan))
    return options.signal.aborted ? interruptedResult(result, plan) : result
  }
}

async function carrierOf(
  { fleet }: LoadSettings,
  { onNotice, ...options }: RunnerOptions,
): Promise<(plan: LoadPlan) => Promise<ShardsResult>> {
  if (fleet === undefined) return (plan) => runShards(plan, options)
  // Imported only when it is asked for, because it is the largest thing a load may need.
  const { fleetRunner } = await import('../../load/fleet/coordinator.ts')
  return fleetRunner({ ...fleet, onNotice, signal: options.signal })
}

export type Found = Pick<LoadReport, 'main' | 'sweep' | 'knee' | 'baseline'>

/** Carries out what is asked for: a sweep, the search for the knee, pairs with the baseline if there is one, or plain runs. */
export async function experiment(
  plan: LoadPlan,
  { sweep, findKnee: isKnee, repeat, variable }: LoadSettings,
  baseline: Contacted | undefined,
  { run, onPoint }: { readonly run: Runner; readonly onPoint: (point: SweepPoint) => void },
): Promise<Found> {
  if (sweep !== undefined) {
    const points = await sweepLoad(plan, sweep, run, onPoint)
    return { main: onlyRun(points.at(-1)?.result), sweep: points }
  }
  if (isKnee) {
    const knee = await findKnee(plan, variable === 'rate' ? rateOf(plan) : 1, run, onPoint)
    const { value, points } = knee
    return { main: onlyRun((points.findLast((point) => point.value === value) ?? points.at(-1))?.result), knee }
  }
  if (baseline !== undefined) {
    const direct = { ...plan, url: completionsUrl(baseline.config), model: baseline.model }
    const pairs = await comparePairs(direct, plan, Math.max(repeat, 6), run)
    return { main: onlyRun(pairs.through), baseline: { ...pairs, baseUrl: baseline.config.baseUrl } }
  }
  if (repeat > 1) return { main: await repeatLoad(plan, repeat, run) }
  return { main: onlyRun(await run(plan)) }
}

function onlyRun(result: Repeated['result'] | undefined): Repeated {
  if (result === undefined) throw new Error('there was no run')
  return { result, runs: [result], confidence: {} }
}

function rateOf({ arrivals }: LoadPlan): number {
  return arrivals.kind === 'open' ? (arrivals.stages[0]?.to ?? 1) : 1
}
