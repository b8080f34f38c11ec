import { percentiles } from '../../load/figures/histogram.ts'
import { metricNames } from '../../load/figures/metrics.ts'
import { outcomes } from '../../load/figures/outcome.ts'
import { wasInterrupted } from '../../load/figures/result.ts'
import type { LoadReport } from './report.ts'

/** The figures in Prometheus's text format, times in seconds, for a textfile collector or a push gateway. */
export function renderLoadPrometheus({ main, target }: LoadReport): string {
  const { result } = main
  const model = `model="${target.model.replace(/[\\"\n]/g, (one) => (one === '\n' ? '\\n' : `\\${one}`))}"`
  const lines = [
    '# HELP assay_load_requests Requests by how they ended.',
    '# TYPE assay_load_requests gauge',
    ...outcomes.map((outcome) => `assay_load_requests{${model},outcome="${outcome}"} ${result.outcomes[outcome]}`),
    '# HELP assay_load_latency_seconds Latencies of complete requests.',
    '# TYPE assay_load_latency_seconds gauge',
  ]
  for (const metric of metricNames) {
    for (const view of ['service', 'response'] as const) {
      const stats = result.metrics[metric][view]
      if (stats.count === 0) continue
      for (const name of Object.keys(percentiles) as (keyof typeof percentiles)[]) {
        const labels = `${model},metric="${metric}",view="${view}",quantile="${Number((percentiles[name] / 100).toPrecision(6))}"`
        lines.push(`assay_load_latency_seconds{${labels}} ${stats[name] / 1000}`)
      }
    }
  }
  const { requestsPerS, eventsPerS, tokensPerS } = result.throughput
  lines.push(
    '# HELP assay_load_throughput Complete requests, and their events and tokens, per second.',
    '# TYPE assay_load_throughput gauge',
    `assay_load_throughput{${model},of="requests"} ${requestsPerS}`,
    `assay_load_throughput{${model},of="events"} ${eventsPerS}`,
    `assay_load_throughput{${model},of="tokens"} ${tokensPerS}`,
    '# HELP assay_load_valid Whether the measurement is valid (1), suspect (0.5), or invalid or interrupted (0).',
    '# TYPE assay_load_valid gauge',
    ...(wasInterrupted(result) ? [`# ${result.validity.reasons[0]}`] : []),
    `assay_load_valid{${model}} ${{ valid: 1, suspect: 0.5, invalid: 0, interrupted: 0 }[result.validity.verdict]}`,
  )
  return `${lines.join('\n')}\n`
}
