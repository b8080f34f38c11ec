import { expect, test } from 'vitest'
import { readObjectives } from '../../load/schedule/objective.ts'
import type { LoadPlan } from '../../load/schedule/plan.ts'
import { planOf, resultOf } from '../../load/test-tools.ts'
import type { LoadReport } from './report.ts'
import { renderLoadTerminal } from './terminal.ts'

function reportOf(changes: Partial<LoadPlan>, result: LoadReport['main']['result'], more: Partial<LoadReport> = {}) {
  return {
    harness: { name: 'inference-assay', version: '0.0.0' },
    target: { baseUrl: 'http://127.0.0.1:8080', apiPath: '/v1', model: 'small' },
    plan: planOf('http://127.0.0.1:8080', changes),
    startedAt: '2026-01-01T00:00:00.000Z',
    durationMs: 10_000,
    gate: { exitCode: 0, reason: 'Every objective was met' },
    main: { result, runs: [result], confidence: {} },
    machine: { cores: 2, node: 'v24', platform: 'linux' },
    ...more,
  } satisfies LoadReport
}

const linesOf = (report: LoadReport): readonly string[] =>
  renderLoadTerminal(report, { color: false, quiet: false }).split('\n')

test('the four figures come first, each with its objectives, and every line fits 80 columns', () => {
  const objectives = readObjectives('ttft.p95<300ms,ttft.p99<200ms,errors<1%,e2e.p50<9s')
  const report = reportOf({ objectives, warmupMs: 1000 }, resultOf(planOf('', { objectives }), 1000, 250))
  const lines = linesOf(report)
  expect(lines.slice(0, 11).map((line) => line.replace(/\d+\.\d+(?= ms)/g, 'N'))).toEqual([
    '4 connections, closed loop, 10 s',
    '',
    'time to first token  p50 N ms, p95 N ms',
    '  ✓ ttft.p95<300ms: measured N ms',
    '  ✗ ttft.p99<200ms: measured N ms',
    'inter-token latency  –',
    'goodput              0.00 requests/s: requests that met every objective',
    'errors               0.00 % (0 of 1000)',
    '  ✓ errors<1%: measured 0.00 %',
    '  ✓ e2e.p50<9s: measured N ms',
    '',
  ])
  expect(lines.filter((line) => line.length > 79)).toEqual([])
})

test('what was not measured is a dash, and failures and reasons are broken to fit', () => {
  const result = resultOf(planOf(''), 0, 1)
  const outcomes = { ...result.outcomes, sent: 3, schema: 2, truncated: 1 }
  const reasons = { schema: ['not a chunk of a completion: '.repeat(9)] }
  const validity = { ...result.validity, verdict: 'suspect' as const, reasons: ['no request succeeded: '.repeat(9)] }
  const lines = linesOf(reportOf({}, { ...result, outcomes, reasons, validity }))
  expect(lines).toContain('time to first token  –')
  expect(lines).toContain('goodput              –')
  expect(lines).toContain('errors               100.00 % (3 of 3)')
  expect(lines.join('\n')).not.toContain('NaN')
  expect(lines.filter((line) => line.length > 79)).toEqual([])
})

test('metrics that do not differ share a row; in an open loop there are rows from when a request was due', () => {
  const arrivals = {
    kind: 'open',
    process: 'poisson',
    stages: [{ durationMs: 1, from: 1, to: 1 }],
    connectionsMax: 9,
  } as const
  const one = resultOf(planOf(''), 500, 20)
  const due = { ...one.metrics.ttft.response }
  const metrics = { ...one.metrics, ttft: { service: one.metrics.ttft.service, response: due } }
  const result = { ...one, metrics: { ...metrics, ttfb: metrics.ttft, ttfc: metrics.ttft } }
  const lines = linesOf(reportOf({ arrivals }, result))
  expect(lines.filter((line) => line.startsWith('  ttfb ttfc ttft    500'))).toHaveLength(2)
  expect(lines).toContain('  from when the request was due:')
})

test('a series comes before the figures of one of its loads, and an undecided knee says why', () => {
  const points = [1, 64].map((value) => ({ value, result: resultOf(planOf(''), 500, 20) }))
  const knee = { value: null, undecided: 'at 64 connections there were too few requests; pass --duration 90', points }
  const lines = linesOf(reportOf({}, resultOf(planOf(''), 500, 20), { knee }))
  expect(lines[0]).toBe('1 and 64 connections, 10 s each')
  expect(lines).toContain('not decided: at 64 connections there were too few requests; pass --duration 90')
  expect(lines).toContain('at 64 connections, the last load tried')
  expect(lines.filter((line) => line.length > 79)).toEqual([])
})

test('pairs without complete replies on both sides are said to tell nothing, without the head of an empty table', () => {
  const result = resultOf(planOf(''), 10, 20)
  const nothing = { metric: 'ttft', percentile: 'p50', direct: NaN, through: 20, added: NaN, interval: null } as const
  const baseline = { baseUrl: '', pairs: 6, direct: result, through: result, added: [nothing] }
  const text = linesOf(reportOf({}, result, { baseline })).join('\n')
  expect(text).toMatch(/what the gateway adds is not known: no pair of runs has complete replies on\s+both sides/)
  expect(text).not.toContain('95 % confidence')
})

test('a few tokens in a long time are not rounded to none', () => {
  const one = resultOf(planOf(''), 2, 20)
  const throughput = { ...one.throughput, eventsPerS: 12.6, tokensPerS: 0.37 }
  expect(linesOf(reportOf({}, { ...one, throughput })).join('\n')).toContain('13 events/s, 0.37 tokens/s')
})

test('names that are too many for their column go on in a row below it, and no figure leaves its column', () => {
  const one = resultOf(planOf(''), 39, 20)
  const { ttft } = one.metrics
  const metrics = { ...one.metrics, ttst: ttft, itl: ttft, tpot: ttft, stall: ttft, tail: ttft }
  const rows = linesOf(reportOf({}, { ...one, metrics })).filter((line) => / 39 +20\.00/.test(line))
  expect(rows.map((row) => row.slice(0, 23))).toEqual([
    '  ttft ttst itl      39',
    '  tpot stall         39',
    '  tail               39',
  ])
  expect(rows.filter((row) => row.length > 79)).toEqual([])
})
