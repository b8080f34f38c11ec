import { expect, test } from 'vitest'
import { cautionsOf } from './loads.ts'
import { renderCompare } from './terminal.ts'

const run = (plan: object, verdict = 'valid', reasons: readonly string[] = []) => ({
  target: { model: 'small' },
  plan: { durationMs: 10_000, maxTokens: 64, ...plan },
  validity: { verdict, reasons },
})

test('two runs that were not made alike are compared with a caution for each difference', () => {
  expect(cautionsOf(run({}), run({}))).toEqual([])
  expect(cautionsOf(run({}), run({ durationMs: 20_000, maxTokens: 32 }, 'suspect', ['the client was late']))).toEqual([
    'They differ in length: 10 s before, 20 s after.',
    'Their plans differ in the token limit of a reply: 64 before, 32 after.',
    'The measurement after is suspect: the client was late.',
  ])
})

test('a caution says in words how requests started, and no JSON', () => {
  const open = (rate: number, durationMs: number) => ({
    arrivals: {
      kind: 'open',
      process: 'poisson',
      stages: [{ durationMs, from: rate, to: rate }],
      connectionsMax: 1000,
    },
    durationMs,
  })
  expect(cautionsOf(run({ ...open(20, 2000), warmupMs: 2000 }), run({ ...open(40, 2000), warmupMs: 1500 }))).toEqual([
    'Their plans differ in load: 20 requests per second (poisson), at most 1000 at once before, 40 requests per second (poisson), at most 1000 at once after.',
    'Their plans differ in warm-up: 2 s before, 1.5 s after.',
  ])
  expect(cautionsOf(run(open(20, 2000)), run(open(20, 4000)))).toEqual([
    'They differ in length: 2 s before, 4 s after.',
  ])
  const trace = (atMs: number) => run({ arrivals: { kind: 'trace', entries: [{ atMs }], connectionsMax: 5 } })
  expect(cautionsOf(trace(1), trace(2))).toEqual([
    'Their plans differ in the details of load, which is a trace of 1 request, at most 5 at once in both.',
  ])
})

test('the table fits 80 columns, has a dash where there is no ratio, and does not call undecided what may be worse', () => {
  const metrics = [
    { metric: 'tail', percentile: 'p50', before: 0, after: 0, ratio: null, p: 1, verdict: 'same' },
    {
      metric: 'stall',
      percentile: 'p95',
      before: 23_999.2,
      after: 6399.28,
      ratio: { low: 0.242, high: 0.404 },
      p: 0.3,
      verdict: 'undecided',
      reason: 'too few requests: 25 in one run, and a p95 needs 100',
    },
  ] as const
  const text = renderCompare({ kind: 'load', metrics, bad: [0, 0.01], cautions: ['They differ in length.'] }, 0)
  expect(text).not.toMatch(/NaN|Infinity/)
  expect(text.split('\n').filter((line) => line.length > 79)).toEqual([])
  expect(text).toContain('! They differ in length.')
  expect(text).toMatch(/undecided\n {4}too few requests: 25 in one run/)
  expect(text).toMatch(/\nNothing is known to have got worse; 1 of 2 not decided$/)
  expect(renderCompare({ kind: 'load', metrics: [], bad: [0, 0], cautions: [] }, 0)).toMatch(/Nothing was compared$/)
})
