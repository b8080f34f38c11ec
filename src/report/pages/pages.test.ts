import { describe, expect, test } from 'vitest'
import type { SerializedResult } from '../../check/result.ts'
import type { Verdict } from '../../check/verdict.ts'
import { readContract } from '../../fixtures.ts'
import { type JsonReport, readJson, renderJson } from '../conformance/json.ts'
import { passportOf } from '../conformance/passport.ts'
import { exchange, nasty, report, result, rulesOf } from '../test-tools.ts'
import { renderConformancePage } from './conformance.ts'
import { renderPassportPage } from './passport.ts'
import { renderRunsPage } from './runs.ts'

const sentence = 'A reply holds a script.'
const failed: Verdict = { kind: 'fail', wrong: sentence, what: nasty, expected: nasty, actual: '"quotes"' }
const mixed = [
  result('a.passes', 'must', { kind: 'pass', proofs: 3, proved: ['status', nasty] }),
  result('a.fails', 'must', failed),
  result('a.should', 'should', failed),
  { ...result('a.known', 'must', failed), known: { reason: 'mended soon', flaky: false } } as SerializedResult,
  result('a.seen', 'open', { kind: 'observed', value: { nasty, twoModels: [200, true] } }),
  result('a.undecided', 'must', { kind: 'untestable', cause: 'target', reason: 'needs nodes: pass --nodes' }),
  result('a.blocked', 'must', { kind: 'blocked', by: 'a.fails' }),
]
const rules = rulesOf(mixed)
const red = report(mixed, 1)
const contract = readContract()

/** What of a page can be seen before something is opened: of what is folded only the summary, the innermost first. */
function firstSight(page: string): string {
  const seen = page.replaceAll(
    /<details[^>]*>(<summary>(?:(?!<details).)*?<\/summary>)(?:(?!<details).)*?<\/details>/gs,
    '$1',
  )
  return seen === page ? seen : firstSight(seen)
}

describe('the page of a conformance run', () => {
  const page = renderConformancePage(red, rules, contract)

  test('escapes whatever it holds and needs no network', () => {
    expect(page).not.toContain('<script>alert')
    expect(page).not.toMatch(/(src|href)="(?!#)/)
    expect(page).not.toMatch(/url\(|@import/)
  })

  test('begins with what it came to, the proportion, what to mend and what would decide the rest', () => {
    const seen = firstSight(page)
    const order = ['1 passed, 3 failed, 2 not decided', sentence, 'Mend it.', 'Pass --nodes', 'All checks']
    expect(order.map((words) => seen.indexOf(words))).toEqual(
      order.map((words) => seen.indexOf(words)).toSorted((one, other) => one - other),
    )
    expect(order.filter((words) => !seen.includes(words))).toEqual([])
  })

  test.each([
    [1, '1 does not apply'],
    [2, '2 do not apply'],
  ])('counts %i check that does not apply in good English', (count, words) => {
    const some = Array.from({ length: count }, (_, at) =>
      result(`a.absent-${at}`, 'must', { kind: 'not-applicable', reason: 'the gateway sets no cookie' }),
    )
    expect(renderConformancePage(report(some, 0), rulesOf(some), contract)).toContain(`aria-label="${words}"`)
  })

  test('names what a chain of undecided checks needs once, for all of them', () => {
    const because = 'it tells no price'
    const verdictOf = (reason: string): Verdict => ({ kind: 'untestable', cause: 'target', reason })
    const chain = [
      result('a.root', 'must', verdictOf(because)),
      result('a.leaf', 'must', verdictOf(`a.root could not be decided: ${because}`)),
    ]
    const shown = firstSight(renderConformancePage(report(chain, 0), rulesOf(chain), contract))
    expect(shown).toContain('<strong class="count">2</strong> It tells no price')
    expect(shown).not.toContain('A.root')
  })

  test('has an anchor for every check, once, and for the clause that a rule is of', () => {
    for (const { id } of mixed) expect(page.match(new RegExp(`id="${id}"`, 'g')), id).toHaveLength(1)
    expect(page).toContain('href="#clause-4.1"')
    expect(page).toContain('id="clause-4.1"')
  })

  test('has a card for each failure: what was found, its place in the exchange, and how to see it again', () => {
    expect(page.match(/class="card /g)).toHaveLength(3)
    const card = page.slice(page.indexOf('id="a.fails"'), page.indexOf('id="a.should"'))
    for (const words of [sentence, 'It holds.', 'Clients break.', '<mark>&quot;quotes&quot;</mark>', 'curl -d'])
      expect(card).toContain(words)
    expect(card).toContain('node bin/assay.cjs replay a.fails --evidence assay-evidence')
    expect(card).toContain('href="#a.blocked"')
  })

  test('tells what a passing check looked at, and shows observations in words', () => {
    const entry = page.slice(page.indexOf('id="a.passes"'))
    expect(entry).toContain('<li>status</li>')
    expect(page).toMatch(/<dt>two models<\/dt><dd><span>200, yes<\/span>/)
  })

  test('marks each check with its verdict for the filter', () => {
    const kinds = [...page.matchAll(/<li data-kind="([a-z-]+)">/g)].map(([, kind]) => kind)
    expect(kinds).toEqual(mixed.map(({ verdict }) => verdict.kind))
  })

  test('folds most of many failures', () => {
    const many = Array.from({ length: 60 }, (_, index) => result(`a.fails-${index}`, 'must', failed))
    const seen = firstSight(renderConformancePage(report(many, 1), rulesOf(many), contract))
    expect(seen.match(/<strong>A reply holds a script/g)?.length).toBeLessThan(15)
    expect(seen).toContain('52 more')
  })

  test('stays small enough to be sent, however much failed and however long the answers were', () => {
    const events = Array.from({ length: 60 }, (_, index) => `data: {"index":${index},"text":"${'x'.repeat(900)}"}\n\n`)
    const long = {
      ...exchange,
      request: { ...exchange.request, body: { text: 'y'.repeat(60_000) } },
      answer: { status: 200, headers: [['x', 'z'.repeat(9000)]] as const, headMs: 1, body: { text: events.join('') } },
      arrivals: events.map((text, index) => [index, text.length] as const),
      curl: `curl -d '${'y'.repeat(60_000)}'`,
    }
    const shown = { ...failed, expected: 'e'.repeat(500), actual: 'a'.repeat(500) }
    const many = Array.from({ length: 450 }, (_, index) => ({
      ...result(`a.fails-${index}`, 'must', shown),
      exchanges: [long],
    }))
    const whole = renderConformancePage(report(many, 1), rulesOf(many), contract)
    expect(whole.length).toBeLessThan(1_500_000)
  })

  test('is the same from the JSON report and its evidence', () => {
    const again = readJson(JSON.parse(renderJson(red)) as JsonReport, {
      folder: red.evidenceFolder,
      exchangesOf: (id) => red.results.find((one) => one.id === id)?.exchanges ?? [],
    })
    expect(renderConformancePage(again, rules, contract)).toBe(page)
  })

  test('of a body that was too long for a record says what is missing', () => {
    const sha256 = '0'.repeat(64)
    const body = { text: 'its beginning … its end' }
    const answer = { status: 200, headers: [], headMs: 1, body, omitted: { after: 13, bytes: 5000, sha256 } }
    const one = {
      ...result('a.fails', 'must', failed),
      exchanges: [{ ...exchange, answer, arrivals: [[1, 23]] as const }],
    }
    const shown = renderConformancePage(report([one], 1), rules, contract)
    expect(shown).toContain(
      `5000 bytes after the first 13 are not in this record; SHA-256 of the whole body: ${sha256}`,
    )
    expect(shown).toContain('its beginning … its end')
  })

  test('names what differs from another gateway', () => {
    const differences = [{ id: 'a.fails', level: 'must', here: 'fail', there: 'pass', departs: 'here' }] as const
    const compared = { ...red, against: { baseUrl: 'http://other', differences } }
    expect(renderConformancePage(compared, rules, contract)).toContain('Compared with http://other')
  })

  test('of a stream shows each piece with its time, and marks the one of the failure', () => {
    const events = ['one', 'two', 'bad', 'four'].map((text) => `data: ${text}\n\n`)
    const streamed = {
      ...exchange,
      answer: {
        status: 200,
        headMs: 1,
        headers: [['Content-Type', 'text/event-stream']] as const,
        body: { text: events.join('') },
      },
      arrivals: events.map((text, index) => [10 * index, text.length] as const),
    }
    const verdict: Verdict = { kind: 'fail', what: 'the third event', expected: 'three', actual: '"data: bad"' }
    const one = { ...result('a.fails', 'must', verdict), exchanges: [streamed] }
    const shown = renderConformancePage(report([one], 1), rules, contract)
    expect(shown).toMatch(
      /<li class="place"><span class="when">20 ms<\/span>.*?<mark>data: bad<\/mark><i>LF<\/i><i>LF<\/i>/,
    )
    expect(shown.match(/<rect class="place"/g)).toHaveLength(1)
    expect(shown.match(/class="when">/g)).toHaveLength(5)
  })
})

const leftOpen = 'Nothing to mend: the contract leaves it open.'

describe('the passport', () => {
  test('shows what was observed and nothing that was judged', () => {
    const page = renderPassportPage(passportOf(red, rules), rules, contract)
    expect(page).toContain('a.seen')
    expect(page).not.toContain('a.fails')
    expect(page).not.toContain('<script>alert')
  })

  test('says why each of them matters, what is best, and the unit of a value', () => {
    const seen = result('a.seen', 'open', { kind: 'observed', value: { headMs: 3, costUsd: null, twoModels: 400 } })
    const told = new Map([...rulesOf([seen])].map(([id, rule]) => [id, { ...rule, fix: `${leftOpen} A 4xx is best.` }]))
    const shown = renderPassportPage(passportOf(report([seen], 0), told), told, contract)
    expect(shown).toMatch(/Clients break\..*<\/summary>.*A 4xx is best\./s)
    expect(shown).not.toContain(leftOpen)
    expect(shown).toContain('<dt>head</dt><dd><span>3</span> ms</dd>')
    expect(shown).toContain('<dt>cost</dt><dd><span>none</span></dd><dt>two models</dt>')
  })
})

describe('several runs', () => {
  const later = report([...mixed.slice(0, 1), result('a.fails', 'must', { kind: 'pass', proofs: 1 })], 0)
  const second = { ...later, run: { ...later.run, startedAt: '2026-01-02T00:00:00.000Z' } }
  const documentOf = (one: typeof red): unknown => JSON.parse(renderJson(one))
  const runs = [second, red].map((one) => ({ report: one, document: documentOf(one) }))
  const page = renderRunsPage(runs, contract)

  test('are in the order of their time, and what is new is that of the last since the one before it', () => {
    expect(page.indexOf('2026-01-01')).toBeLessThan(page.indexOf('2026-01-02'))
    expect(page).toContain('New in B since A')
    expect(page.slice(page.indexOf('<h2>Mended'))).toContain('a.fails')
  })

  test('have a column each, and a failure of any is seen first', () => {
    const row = page
      .slice(page.indexOf('Failed in any of them'))
      .match(/<tr><th scope="row"><code>a\.fails.*?<\/tr>/)?.[0]
    expect([...(row ?? '').matchAll(/aria-label="([a-z-]+)"/g)].map(([, kind]) => kind)).toEqual(['fail', 'pass'])
    expect(page).toContain('not run')
  })

  test('of different gateways are not each other’s history', () => {
    const other = { ...second, target: { ...second.target, baseUrl: 'http://other' } }
    const both = [red, other].map((one) => ({ report: one, document: documentOf(one) }))
    expect(renderRunsPage(both, contract)).not.toContain('New in')
  })
})
