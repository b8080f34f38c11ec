import type { Knee, Pairs, SweepPoint } from '../load/experiments.ts'
import type { LoadResult } from '../load/result.ts'
import { describePlan, type LoadReport } from './load-report.ts'

/** The run as JSON; `fixtures/report/load.schema.json` describes it. Times are in milliseconds, null where nothing was measured. */
export function renderLoadJson(report: LoadReport): string {
  const { harness, target, plan, startedAt, durationMs, gate, machine, main, sweep, knee, baseline } = report
  const document = {
    schema: 'inference-assay/load/1',
    harness,
    target,
    plan: describePlan(plan),
    run: { startedAt, durationMs, seed: plan.seed, machine },
    gate,
    ...resultOf(main.result),
    confidence: main.confidence,
    repeats: main.runs.length > 1 ? main.runs.map(briefOf) : [],
    ...(sweep !== undefined && { sweep: sweep.map(pointOf) }),
    ...(knee !== undefined && { knee: kneeOf(knee) }),
    ...(report.probes !== undefined && { probes: report.probes }),
    ...(baseline !== undefined && { baseline: baselineOf(baseline) }),
  }
  // JSON knows no NaN: what was not measured is null.
  return `${JSON.stringify(document, null, 2)}\n`
}

function resultOf(result: LoadResult): object {
  const {
    outcomes,
    reasons,
    throughput,
    goodput,
    metrics,
    wholeRun,
    validity,
    slo,
    seconds,
    histograms,
    tokens,
    samples,
  } = result
  return {
    outcomes,
    reasons,
    throughput,
    goodput,
    tokens,
    metrics,
    validity,
    slo,
    wholeRun,
    seconds,
    histograms,
    samples,
  }
}

function briefOf({ outcomes, throughput, goodput, metrics, validity, slo }: LoadResult): object {
  return { outcomes, throughput, goodput, metrics, validity, slo }
}

function pointOf({ value, result }: SweepPoint): object {
  return { value, ...briefOf(result) }
}

function kneeOf({ value, points }: Knee): object {
  return { value, points: points.map(pointOf) }
}

function baselineOf({ baseUrl, pairs, added, direct, through }: Pairs & { readonly baseUrl: string }): object {
  return { baseUrl, pairs, added, direct: briefOf(direct), through: briefOf(through) }
}
