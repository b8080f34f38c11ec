import type { Model } from '../gateway/models.ts'
import type { Patience } from '../keys/patience.ts'
import type { Registry } from '../network/registry.ts'
import type { Activity } from './activity.ts'

/** What a scrape reads. */
export interface Observed {
  readonly activity: Activity
  readonly registry: Registry
  readonly models: readonly Model[]
  readonly patience: Pick<Patience, 'delayed'>
}

/** The gateway's figures in Prometheus' text format, version 0.0.4. */
export function renderMetrics({ activity, registry, models, patience }: Observed): string {
  const { requests, tokens, answers, durations } = activity.counters()
  const answered = Object.values(answers).reduce((sum, count) => sum + count, 0)
  return [
    ...family('assay_requests_total', 'counter', 'Requests received.', [['', requests]]),
    ...family(
      'assay_answers_total',
      'counter',
      'Answers by status class.',
      Object.entries(answers).map(([status, count]) => [label('status', status), count]),
    ),
    ...family('assay_requests_in_flight', 'gauge', 'Requests not yet answered completely.', [
      ['', requests - answered],
    ]),
    ...family(
      'assay_refusals_delayed_total',
      'counter',
      'Refusals kept back, of clients that were refused too often.',
      [['', patience.delayed]],
    ),
    ...family('assay_tokens_total', 'counter', 'Prompt and completion tokens used.', [['', tokens]]),
    '# HELP assay_request_seconds How long requests took, including whole streams.',
    '# TYPE assay_request_seconds histogram',
    ...durations.upToS.map(([bound, count]) => `assay_request_seconds_bucket{le="${bound}"} ${count}`),
    `assay_request_seconds_bucket{le="+Inf"} ${answered}`,
    `assay_request_seconds_sum ${durations.sumS}`,
    `assay_request_seconds_count ${answered}`,
    ...family(
      'assay_model_served',
      'gauge',
      'Whether a live node serves the model.',
      models.map(({ id }) => [label('model', id), registry.serves(id) ? 1 : 0]),
    ),
    ...family('process_resident_memory_bytes', 'gauge', 'Resident memory.', [['', process.memoryUsage.rss()]]),
    ...family('process_uptime_seconds', 'gauge', 'Seconds since the process started.', [['', process.uptime()]]),
    '',
  ].join('\n')
}

type Sample = readonly [labels: string, value: number]

function family(name: string, type: 'counter' | 'gauge', help: string, samples: readonly Sample[]): readonly string[] {
  return [
    `# HELP ${name} ${help}`,
    `# TYPE ${name} ${type}`,
    ...samples.map(([labels, value]) => `${name}${labels} ${value}`),
  ]
}

function label(name: string, value: string): string {
  return `{${name}="${value.replace(/[\\"\n]/g, (sign) => (sign === '\n' ? '\\n' : `\\${sign}`))}"}`
}
