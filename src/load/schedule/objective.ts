import { HarnessError } from '../../harness-error.ts'
import { type PercentileName, percentiles } from '../figures/histogram.ts'
import { isMetric, type MetricName, type View } from '../figures/metrics.ts'

export type StatName = PercentileName | 'min' | 'mean' | 'max'

/** What a gate looks at: a statistic of a metric, or a figure of the whole run. */
type Subject =
  | { readonly kind: 'metric'; readonly metric: MetricName; readonly view: View; readonly stat: StatName }
  | { readonly kind: 'figure'; readonly figure: Figure }

/** Shares of what was sent, in percent, and rates per second. */
type Figure = 'errors' | 'goodput' | 'requestsPerS' | 'eventsPerS' | 'tokensPerS'

export interface Objective {
  /** As the user wrote it. */
  readonly expression: string
  readonly subject: Subject
  readonly comparison: '<' | '<=' | '>' | '>='
  /** In milliseconds, in percent, or per second. */
  readonly bound: number
}

const figures: readonly Figure[] = ['errors', 'goodput', 'requestsPerS', 'eventsPerS', 'tokensPerS']
const stats: readonly string[] = [...Object.keys(percentiles), 'min', 'mean', 'max']
const msOf: Readonly<Record<string, number>> = { us: 0.001, ms: 1, s: 1000 }
const form = /^([\w.]+)\s*(<=|>=|<|>)\s*(\d+(?:\.\d+)?)\s*(us|ms|s|%|\/s)?$/

/** Reads "ttft.p95<300ms,gap.p99<60ms,errors<0.1%". A metric counts from the intended start unless it says `.service`. */
export function readObjectives(text: string): readonly Objective[] {
  return text
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '')
    .map(readObjective)
}

function readObjective(expression: string): Objective {
  const [, name = '', comparison, number, unit] = form.exec(expression) ?? []
  const refuse = (why: string): never => {
    throw new HarnessError('usage', `--slo "${expression}": ${why}.`)
  }
  if (comparison === undefined || number === undefined)
    return refuse('must look like ttft.p95<300ms, ttft.service.p95<300ms, errors<0.1%, goodput>95% or eventsPerS>1000')
  const subject =
    readSubject(name) ?? refuse(`"${name}" is neither a metric with a statistic nor one of ${figures.join(', ')}`)
  const isLatency = subject.kind === 'metric'
  const isShare = subject.kind === 'figure' && !subject.figure.endsWith('PerS')
  if (isLatency && !(unit !== undefined && unit in msOf)) return refuse('a latency needs the unit us, ms or s')
  if (isShare && unit !== '%') return refuse('a share needs the unit %')
  if (!isLatency && !isShare && unit !== undefined && unit !== '/s') return refuse('a rate has the unit /s or none')
  return {
    expression,
    subject,
    comparison: comparison as Objective['comparison'],
    bound: Number(number) * (isLatency ? (msOf[unit ?? ''] ?? 1) : 1),
  }
}

function readSubject(name: string): Subject | undefined {
  const figure = figures.find((one) => one === name)
  if (figure !== undefined) return { kind: 'figure', figure }
  const [metric = '', ...rest] = name.replace(/\.p99\.9$/, '.p999').split('.')
  const stat = rest.at(-1)
  const view = rest.length === 2 ? rest[0] : 'response'
  if (!isMetric(metric) || stat === undefined || !stats.includes(stat) || rest.length > 2) return undefined
  if (view !== 'service' && view !== 'response') return undefined
  return { kind: 'metric', metric, view, stat: stat as StatName }
}

export function holds({ comparison, bound }: Objective, value: number): boolean {
  switch (comparison) {
    case '<':
      return value < bound
    case '<=':
      return value <= bound
    case '>':
      return value > bound
    case '>=':
      return value >= bound
  }
}

/** For an objective about a percentile of gaps: the share of a request's gaps that may be beyond the bound. */
export function shareBeyond(stat: StatName): number {
  return stat in percentiles ? 1 - percentiles[stat as PercentileName] / 100 : 0
}
