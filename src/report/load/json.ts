import type { Pairs, SweepPoint } from '../../load/experiments.ts'
import type { LoadResult } from '../../load/figures/result.ts'
import type { Knee } from '../../load/knee.ts'
import { readObjectives } from '../../load/schedule/objective.ts'
import { describePlan, type LoadReport, type ToldPlan } from './report.ts'

/** The run as JSON, as `fixtures/report/load.schema.json` describes it. Times are in milliseconds, null where nothing was measured. */
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

/** Reads what `renderLoadJson` wrote, to render it again. The URL and headers of the requests are not in it, nor needed. */
export function readLoadJson(text: string): LoadReport {
  const document = JSON.parse(text, reviveMissing) as LoadDocument
  const { harness, target, plan, run, gate, confidence, repeats, ...result } = document
  const { sweep, knee, baseline, probes, ...main } = result
  return {
    harness,
    target,
    plan: { ...plan, ...arrivalsAgain(plan), seed: run.seed, objectives: plan.objectives.flatMap(readObjectives) },
    startedAt: run.startedAt,
    durationMs: run.durationMs,
    machine: run.machine,
    gate,
    main: { result: main, runs: repeats.length > 0 ? repeats : [main], confidence },
    ...(sweep !== undefined && { sweep: sweep.map(pointAgain) }),
    ...(knee !== undefined && { knee: { ...knee, points: knee.points.map(pointAgain) } }),
    ...(baseline !== undefined && { baseline }),
    ...(probes !== undefined && { probes }),
  }
}

const nullable = new Set(['value', 'ratio', 'askedPerS'])

/** Null in the file was NaN in the run, except where the run may have null too. */
function reviveMissing(name: string, value: unknown): unknown {
  return value === null && !nullable.has(name) ? Number.NaN : value
}

/** Only the length of a trace is in the file. */
function arrivalsAgain({ arrivals }: LoadDocument['plan']): Pick<ToldPlan, 'arrivals'> {
  return { arrivals: arrivals.kind === 'trace' ? { ...arrivals, entries: Array(arrivals.requests) } : arrivals }
}

type Point = SweepPoint['result'] & { readonly value: number }

function pointAgain({ value, ...result }: Point): SweepPoint {
  return { value, result: result as SweepPoint['result'] }
}

interface LoadDocument extends LoadResult, Pick<LoadReport, 'harness' | 'target' | 'gate' | 'baseline' | 'probes'> {
  readonly schema: string
  readonly plan: Omit<ToldPlan, 'objectives' | 'arrivals'> & {
    readonly objectives: readonly string[]
    readonly arrivals:
      | Exclude<ToldPlan['arrivals'], { readonly kind: 'trace' }>
      | { readonly kind: 'trace'; readonly requests: number; readonly connectionsMax: number }
  }
  readonly run: Pick<LoadReport, 'startedAt' | 'durationMs' | 'machine'> & { readonly seed: number }
  readonly confidence: LoadReport['main']['confidence']
  readonly repeats: readonly LoadResult[]
  readonly sweep?: readonly Point[]
  readonly knee?: Omit<Knee, 'points'> & { readonly points: readonly Point[] }
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

function kneeOf(knee: Knee): object {
  return { ...knee, points: knee.points.map(pointOf) }
}

function baselineOf({ baseUrl, pairs, added, direct, through }: Pairs & { readonly baseUrl: string }): object {
  return { baseUrl, pairs, added, direct: briefOf(direct), through: briefOf(through) }
}
