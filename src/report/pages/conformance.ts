import type { VerdictKind } from '../../check/verdict.ts'
import type { Clause } from '../../contract/clauses.ts'
import { countOf, spacedCountOf } from '../../count.ts'
import { type Html, html } from '../../markup/html.ts'
import { table } from '../../markup/table.ts'
import { verdictWords } from '../headline.ts'
import type { Against, Report } from '../report.ts'
import { failuresInOrder, titledRoots } from '../roots.ts'
import type { Rules } from '../rule.ts'
import { inWords } from '../unasked.ts'
import { checkList } from './check-list.ts'
import { failureCard } from './failure-card.ts'
import { banner, folded, renderPage, timeOf } from './parts/page.ts'
import { proportion } from './parts/proportion.ts'
import { undecided } from './undecided.ts'

/** How many failures are shown before the rest is folded. */
const cardsMax = 8

/** How many failures are shown with their exchange: a page is to be sent, and of hundreds of failures nobody reads all. */
const detailedMax = 25

/** A run as one page: what it came to, what to mend first, what was not decided, and every check. */
export function renderConformancePage(report: Report, rules: Rules, contract: readonly Clause[]): string {
  const { gate, target, against } = report
  const tone = gate.exitCode === 0 ? 'good' : gate.exitCode === 1 ? 'bad' : 'warn'
  const head = {
    kind: 'conformance report',
    subject: `${target.baseUrl}${target.apiPath}`,
    verdict: { tone, words: verdictWords(report) },
    facts: factsOf(report),
  } as const
  const left = report.results.flatMap(({ id, left: some = [] }) => some.map((one) => `${one} (${id})`))
  return renderPage(
    head,
    html`${proportion(sharesOf(report))}
${(report.notices ?? []).map((notice) => banner('warn', notice))}
${report.unasked !== undefined && banner('warn', `Stopped early: ${inWords(report.unasked)}.`)}
${left.length > 0 && banner('warn', `Left on the target, because it could not be undone: ${left.join('; ')}`)}
${failuresOf(report, rules)}
${undecided(report)}
${against !== undefined && differences(against)}
${checkList(report, rules, contract)}`,
  )
}

function factsOf({ contract, gate, target, run, harness }: Report): readonly (readonly [string, string])[] {
  return [
    ['contract', `${contract}, gate at ${gate.level}`],
    ['model', target.model ?? 'none'],
    ['run', `${timeOf(run.startedAt)}, ${(run.durationMs / 1000).toFixed(1)} s, seed ${run.seed}`],
    [
      'used',
      `${spacedCountOf(run.requests, 'request')}, ${spacedCountOf(run.tokens, 'token')}${run.costUsd === null ? '' : `, $${run.costUsd.toFixed(4)}`}`,
    ],
    ['by', `${harness.name} ${harness.version}`],
  ]
}

/** What the checks of a run came to. */
export function sharesOf({ results }: Pick<Report, 'results'>): Parameters<typeof proportion>[0] {
  const count = (...kinds: readonly VerdictKind[]): number =>
    results.filter(({ verdict }) => kinds.includes(verdict.kind)).length
  return [
    { name: 'passed', count: count('pass'), fill: 'good' },
    { name: 'failed', count: count('fail'), fill: 'bad' },
    { name: 'ended in an error of Assay', count: count('error'), fill: 'bad' },
    { name: 'not decided', count: count('untestable', 'blocked'), fill: 'warn' },
    { name: 'observed, not judged', count: count('observed'), fill: 'seen' },
    {
      name: count('not-applicable') === 1 ? 'does not apply' : 'do not apply',
      count: count('not-applicable'),
      fill: 'dim',
    },
  ]
}

/** The failures as cards: first those that count, in the order in which they are best mended. */
function failuresOf(report: Report, rules: Rules): Html {
  const { results, roots } = report
  const counting = failuresInOrder(results, roots)
  const cards = new Map(
    counting.map((result, place) => [result.id, failureCard(result, report, rules, place < detailedMax)]),
  )
  const rooted = new Set(roots.map(({ id }) => id))
  const groups = [
    ...titledRoots(roots).map(({ title, roots: own }) => ({ title, ids: own.map(({ id }) => id) })),
    { title: 'Failures', ids: counting.map(({ id }) => id).filter((id) => !rooted.has(id)) },
  ]
  let room = cardsMax
  const sections = groups
    .filter(({ ids }) => ids.length > 0)
    .map(({ title, ids }) => {
      const own = ids.flatMap((id) => cards.get(id) ?? [])
      const shown = own.slice(0, Math.max(1, room))
      const rest = own.slice(shown.length)
      room -= shown.length
      return html`<h3>${title}</h3>${shown}${rest.length > 0 && folded(`${rest.length} more`, html`${rest}`)}`
    })
  const cardsOf = (some: Report['results']): Html =>
    html`${some.map((result, place) => failureCard(result, report, rules, place < detailedMax))}`
  const known = results.filter((result) => result.known !== undefined && result.verdict.kind === 'fail')
  const errors = results.filter(({ verdict }) => verdict.kind === 'error')
  return html`${sections.length > 0 && html`<h2>What to mend first</h2>${sections}`}
${known.length > 0 && html`<h2>Known failures, which do not count</h2>${folded(countOf(known.length, 'known failure'), cardsOf(known))}`}
${errors.length > 0 && html`<h2>Errors of Assay itself, which say nothing about the gateway</h2>${folded(countOf(errors.length, 'error'), cardsOf(errors))}`}`
}

const sides = { here: ['bad', 'this one'], there: ['warn', 'the other one'], neither: ['dim', 'neither'] } as const
const valueCharsMax = 300

function differences({ baseUrl, differences: list }: Against): Html {
  if (list.length === 0)
    return html`<h2>Compared with ${baseUrl}</h2><p>The gateways do not differ in any check that was decided on both.</p>`
  const rows = list.map(({ id, level, here, there, departs }) => {
    const [tone, words] = sides[departs]
    const link = html`<a href="#${id}"><code>${id}</code></a>`
    return [
      link,
      level,
      here.slice(0, valueCharsMax),
      there.slice(0, valueCharsMax),
      html`<span class="${tone}">${words}</span>`,
    ]
  })
  return html`<h2>Compared with ${baseUrl}</h2>${folded(countOf(list.length, 'difference'), table(['check', 'level', 'here', 'there', 'fails'], rows))}`
}
