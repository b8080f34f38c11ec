import type { Stats } from '../../load/figures/histogram.ts'
import type { LoadResult } from '../../load/figures/result.ts'
import type { Objective } from '../../load/schedule/objective.ts'
import type { Paint } from '../paint.ts'
import { ms } from './milliseconds.ts'
import { objectiveValue } from './objective-value.ts'
import { badOf, type LoadReport } from './report.ts'

type Headline = 'time to first token' | 'inter-token latency' | 'goodput' | 'errors'

/** What people come for: four figures, each with its objectives below it, and then all other objectives. */
export function headlineFigures({ main, plan }: LoadReport, paint: Paint): string {
  const { result } = main
  const values: Readonly<Record<Headline, string>> = {
    'time to first token': latency(result.metrics.ttft.response, 'p95'),
    'inter-token latency': latency(result.metrics.gap.service, 'p99'),
    goodput: goodput(result),
    errors: `${percent(badOf(result), result.outcomes.sent)} (${badOf(result)} of ${result.outcomes.sent})`,
  }
  const headlineOf = new Map(plan.objectives.map((objective) => [objective.expression, headlineFor(objective)]))
  const verdicts = (name: Headline | undefined): readonly string[] =>
    result.slo
      .filter(({ expression }) => headlineOf.get(expression) === name)
      .map((one) => `  ${objectiveLine(one, plan.objectives, paint)}`)
  return [
    ...(Object.keys(values) as Headline[]).flatMap((name) => [
      `${paint.strong(name.padEnd(21))}${values[name]}`,
      ...verdicts(name),
    ]),
    ...verdicts(undefined),
  ].join('\n')
}

function headlineFor({ subject }: Objective): Headline | undefined {
  if (subject.kind === 'figure')
    return subject.figure === 'errors' || subject.figure === 'goodput' ? subject.figure : undefined
  if (subject.metric === 'ttft') return 'time to first token'
  return ['gap', 'itl', 'tpot'].includes(subject.metric) ? 'inter-token latency' : undefined
}

/** The median and a high percentile; a dash where nothing was measured. */
function latency(stats: Stats, high: 'p95' | 'p99'): string {
  if (stats.count === 0) return '–'
  const note = stats.unreliable.includes(high) ? ` (too few to rely on ${high})` : ''
  return `p50 ${ms(stats.p50)} ms, ${high} ${ms(stats[high])} ms${note}`
}

function goodput({ goodput: { requestsPerS }, outcomes, slo }: LoadResult): string {
  if (outcomes.ok === 0) return '–'
  const met = slo.length === 0 ? 'complete replies' : 'requests that met every objective'
  return `${requestsPerS.toFixed(2)} requests/s: ${met}`
}

function percent(part: number, whole: number): string {
  return whole === 0 ? '–' : `${((part / whole) * 100).toFixed(2)} %`
}

function objectiveLine(one: LoadResult['slo'][number], objectives: readonly Objective[], paint: Paint): string {
  const value = objectiveValue(one, objectives)
  const measured = value === undefined ? 'nothing was measured' : `measured ${value}`
  const note = one.unreliable === true ? ', too few requests to rely on' : ''
  return `${one.pass ? paint.good('✓') : paint.bad('✗')} ${one.expression}: ${measured}${note}`
}
