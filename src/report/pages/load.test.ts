import { describe, expect, test } from 'vitest'
import { readObjectives } from '../../load/schedule/objective.ts'
import { planOf } from '../../load/test-tools.ts'
import { loadReport, loadResult } from '../load/test-tools.ts'
import { renderComparisonPage } from './comparison.ts'
import { renderLoadPage } from './load.ts'

const objectives = readObjectives('ttft.p95<100ms,errors<1%,e2e.p50<9s')
const plan = planOf('http://127.0.0.1:8080')
const held = { ...plan, objectives }

describe('the page of a load run', () => {
  const page = renderLoadPage(loadReport(held))

  test('begins with four figures and the objectives of each', () => {
    const figures = page.slice(page.indexOf('class="figures"'), page.indexOf('class="charts"'))
    expect(figures.match(/<strong>/g)).toHaveLength(4)
    expect(figures).toMatch(/edge-bad"><span class="dim">Time to first token, p95.*?✗ ttft\.p95&lt;100ms: 1\d\d/s)
    expect(figures).toMatch(/✓ errors&lt;1%: 0/)
    expect(figures).toMatch(/<\/ul><p class="good">✓ e2e\.p50&lt;9s/)
  })

  test('draws its objective into the chart of first tokens, and names the values where the pointer is', () => {
    const chart = page.slice(page.indexOf('Time to first token <'), page.indexOf('</figure>'))
    expect(chart).toContain('class="bound-name"')
    expect(chart).toMatch(/<title>0 seconds\np50: \d+(\.\d+)?\np95: \d+/)
  })

  test('lets metrics that do not differ share a row', () => {
    expect(page).toContain('ttfb = ttfc = ttft = ttst = gap = itl = tpot = stall = tail = e2e')
  })

  test('says on top that it is not whole, or not valid, before any figure', () => {
    for (const verdict of ['interrupted', 'invalid'] as const) {
      const { main } = loadReport(plan)
      const result = { ...main.result, validity: { ...main.result.validity, verdict, reasons: ['after 4 s of 60 s'] } }
      const shown = renderLoadPage(loadReport(plan, { main: { ...main, result } }))
      expect(shown).toMatch(/class="banner bad">[^<]*after 4 s of 60 s/)
      expect(shown.indexOf('class="banner bad"')).toBeLessThan(shown.indexOf('class="figures"'))
    }
    expect(page).not.toContain('class="banner')
  })

  test('of a run in which nothing was measured has dashes and no charts of it', () => {
    const result = loadResult(plan, 0)
    const shown = renderLoadPage(loadReport(plan, { main: { result, runs: [result], confidence: {} } }))
    expect(shown).not.toMatch(/NaN|Infinity/)
    expect(shown).not.toContain('<polyline')
    expect(shown).toContain('there is nothing to measure')
    expect(shown).not.toContain('<th scope="col">Metric</th>')
  })

  test('of several loads shows them before the figures of one, and marks the knee', () => {
    const points = [1, 2, 4].map((value) => ({ value, result: loadResult(held, 5) }))
    const shown = renderLoadPage(loadReport(held, { knee: { value: 2, points } }))
    expect(shown).toContain('The knee is at 2 connections')
    expect(shown).toContain('<dt>loads</dt><dd>1, 2 and 4 connections, 10 s each</dd>')
    expect(shown).toContain('<th scope="row">1 connection</th>')
    expect(shown).toMatch(/class="knee-name"[^>]*>knee</)
    expect(shown.indexOf('First token by load')).toBeLessThan(shown.indexOf('At 2 connections, the knee'))
    const [only] = points
    const one = renderLoadPage(loadReport(held, { sweep: only === undefined ? [] : [only] }))
    expect(one).not.toContain('First token by load')
  })
})

describe('the page of two runs', () => {
  const compared = (verdict: 'worse' | 'same', before: number, after: number) =>
    ({ metric: 'ttft', percentile: 'p95', before, after, p: 0, verdict, ratio: { low: 1.4, high: 1.6 } }) as const

  test('says in a sentence what changed, draws the interval, and folds what did not', () => {
    const metrics = [compared('same', 10, 10), compared('worse', 100, 150)]
    const page = renderComparisonPage(
      { target: { baseUrl: 'http://gateway' } },
      {},
      { kind: 'load', metrics, cautions: ['They differ in length.'] },
    )
    expect(page).toContain('1 figure got slower')
    expect(page).toMatch(/class="banner warn">They differ in length/)
    expect(page).toContain('Slower: 1.50 times as long (1.40 to 1.60).')
    expect(page).toContain('aria-label="ratio 1.400 to 1.600"')
    expect(page).toContain('1 figure unchanged')
  })

  test('shows of two observations only what differs', () => {
    const values = ['{"status":200,"piecesOfText":4}', '{"status":400,"piecesOfText":4}'] as const
    const check = {
      id: 'a.seen',
      level: 'open',
      before: 'observed',
      after: 'observed',
      kind: 'observed-otherwise',
      values,
    } as const
    const page = renderComparisonPage({}, {}, { kind: 'conformance', checks: [check] })
    expect(page).toContain('<dt>status</dt><dd><span>400</span>')
    expect(page).not.toContain('pieces of text')
    expect(page).toContain('Nothing fails that did not fail before')
  })
})
