import { createHistogram, type Stats } from '../../load/figures/histogram.ts'
import { metricNames } from '../../load/figures/metrics.ts'
import { type LoadResult, mergeResults } from '../../load/figures/result.ts'
import { holds } from '../../load/schedule/objective.ts'
import type { LoadPlan } from '../../load/schedule/plan.ts'
import type { LoadReport } from './report.ts'

const perSecond = 20

/** A result as a load might have had it: twenty complete replies a second, some slower than others. */
export function loadResult(plan: LoadPlan, seconds: number): LoadResult {
  const empty = mergeResults(plan, { results: [], lost: [] })
  const count = seconds * perSecond
  const times = Array.from({ length: count }, (_, index) => 50 + 20 * Math.sin(index / 9) + (index % 17 === 0 ? 80 : 0))
  const stats = statsOf(times)
  const table = Object.fromEntries(metricNames.map((name) => [name, { service: stats, response: stats }]))
  return {
    ...empty,
    outcomes: { ...empty.outcomes, sent: count, ok: count },
    throughput: { ...empty.throughput, requestsPerS: perSecond, eventsPerS: 400, tokensPerS: 380 },
    goodput: { requestsPerS: perSecond, share: 1 },
    metrics: table as LoadResult['metrics'],
    validity: { ...empty.validity, verdict: 'valid', reasons: [] },
    slo: plan.objectives.map((objective) => {
      const { subject, expression } = objective
      const value = subject.kind === 'figure' ? 0 : stats[subject.stat]
      return { expression, value, pass: holds(objective, value) }
    }),
    seconds: Array.from({ length: seconds }, (_, second) => {
      const ttft = times.slice(second * perSecond, (second + 1) * perSecond)
      return { second, sent: perSecond, ok: perSecond, bad: 0, events: 400, ttft, stallMax: 30 }
    }),
    samples: times.map((ttft, index) => ({ atMs: index * 50, values: { ttft, stall: ttft / 3, itl: ttft / 9 } })),
  }
}

function statsOf(values: readonly number[]): Stats {
  const histogram = createHistogram()
  for (const value of values) histogram.record(value)
  const stats = histogram.stats()
  histogram.free()
  return stats
}

/** A report of such a load. */
export function loadReport(plan: LoadPlan, changes: Partial<LoadReport> = {}): LoadReport {
  const result = loadResult(plan, 30)
  return {
    harness: { name: 'inference-assay', version: '0.1.0' },
    target: { baseUrl: 'http://127.0.0.1:8080', apiPath: '/v1', model: 'small' },
    plan,
    startedAt: '2026-01-01T00:00:00.000Z',
    durationMs: 30_000,
    gate: { exitCode: 0, reason: 'Every objective was met' },
    main: { result, runs: [result], confidence: {} },
    machine: { cores: 2, node: 'v24', platform: 'linux' },
    ...changes,
  }
}
