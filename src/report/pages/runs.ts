import type { SerializedResult } from '../../check/result.ts'
import { type Clause, clausesOf } from '../../contract/clauses.ts'
import { countOf } from '../../count.ts'
import { type Html, html } from '../../markup/html.ts'
import { table } from '../../markup/table.ts'
import { compareVerdicts } from '../compare/compare.ts'
import { verdictWords } from '../headline.ts'
import type { Report } from '../report.ts'
import { sentenceOf } from '../said.ts'
import { checkGroups } from './comparison.ts'
import { sharesOf } from './conformance.ts'
import { folded, renderPage, timeOf } from './parts/page.ts'
import { proportion } from './parts/proportion.ts'
import { signOf } from './parts/verdict-looks.ts'

/** A run under the letter that its columns have. */
interface Named {
  readonly letter: string
  readonly report: Report
  /** As JSON. */
  readonly document: unknown
}

/** Several conformance runs side by side, the oldest first: what each came to, what is new, and a matrix of all checks. */
export function renderRunsPage(runs: readonly Omit<Named, 'letter'>[], contract: readonly Clause[]): string {
  const named = runs
    .toSorted((one, other) => one.report.run.startedAt.localeCompare(other.report.run.startedAt))
    .map((run, index) => ({ ...run, letter: letterOf(index) }))
  const addresses = [...new Set(named.map(({ report }) => addressOf(report)))]
  const passed = named.filter(({ report }) => report.gate.exitCode === 0).length
  const head = {
    kind: 'several conformance runs',
    subject: addresses.length === 1 ? (addresses[0] ?? '') : countOf(addresses.length, 'gateway'),
    verdict: {
      tone: passed === named.length ? 'good' : 'bad',
      words: `${passed} of ${countOf(named.length, 'run')} passed`,
    },
    facts: named.map(
      ({ letter, report }) => [letter, `${addressOf(report)}, ${timeOf(report.run.startedAt)}`] as const,
    ),
  } as const
  return renderPage(head, html`${named.map(summary)}${news(named)}${matrix(named, contract)}`)
}

function letterOf(index: number): string {
  return index < 26 ? String.fromCharCode(65 + index) : `${letterOf(Math.floor(index / 26) - 1)}${letterOf(index % 26)}`
}

function addressOf({ target }: Report): string {
  return `${target.baseUrl}${target.apiPath}`
}

function summary({ letter, report }: Named): Html {
  const tone = report.gate.exitCode === 0 ? 'good' : 'bad'
  return html`<section><h2>${letter} <span class="dim">${addressOf(report)}, model ${report.target.model ?? 'none'}, ${timeOf(report.run.startedAt)}</span></h2>
<p class="${tone}">${verdictWords(report)}</p>${proportion(sharesOf(report))}</section>`
}

/** What differs between the last run and the one before it of the same gateway. */
function news(runs: readonly Named[]): Html {
  const last = runs.at(-1)
  const before = runs
    .slice(0, -1)
    .findLast(({ report }) => last !== undefined && addressOf(report) === addressOf(last.report))
  if (last === undefined || before === undefined) return html``
  const changed = compareVerdicts(before.document, last.document)
  const words = `New in ${last.letter} since ${before.letter}`
  if (changed.length === 0) return html`<h2>${words}</h2><p>Nothing: every check has the same result.</p>`
  return html`<h2>${words}</h2>${checkGroups(changed)}`
}

const failingMax = 12

function matrix(runs: readonly Named[], contract: readonly Clause[]): Html {
  const byCheck = new Map<string, Map<string, SerializedResult>>()
  for (const { letter, report } of runs)
    for (const result of report.results)
      byCheck.set(result.id, (byCheck.get(result.id) ?? new Map<string, SerializedResult>()).set(letter, result))
  const all = [...byCheck].map(([id, results]) => ({ id, results }))
  const failing = all.filter((row) => failuresIn(row) > 0).sort((one, other) => failuresIn(other) - failuresIn(one))
  const columns = ['Check', ...runs.map(({ letter }) => letter)]
  const tableOf = (rows: readonly Row[]): Html =>
    html`<div class="compact">${table(
      columns,
      rows.map((row) => cells(row, runs)),
    )}</div>`
  const rest = failing.slice(failingMax)
  const clauses = clausesOf(
    all.map((row) => ({ clause: clauseOf(row) })),
    contract,
  )
  return html`${failing.length > 0 && html`<h2>Failed in any of them</h2>${tableOf(failing.slice(0, failingMax))}`}
${rest.length > 0 && folded(`${rest.length} more`, tableOf(rest))}
<h2>All checks</h2>${clauses.map(({ number, title }) => {
    const own = all.filter((row) => clauseOf(row) === number)
    const failed = own.filter((row) => failuresIn(row) > 0).length
    return html`<details class="group"><summary><strong>${number} ${title}</strong> <span class="tags">${countOf(own.length, 'check')}${failed > 0 && html`<span class="bad">${failed} failed somewhere</span>`}</span></summary>${tableOf(own)}</details>`
  })}`
}

interface Row {
  readonly id: string
  readonly results: ReadonlyMap<string, SerializedResult>
}

function failuresIn({ results }: Row): number {
  return [...results.values()].filter(({ verdict }) => verdict.kind === 'fail').length
}

function clauseOf({ results }: Row): string {
  return results.values().next().value?.clause ?? ''
}

function cells({ id, results }: Row, runs: readonly Named[]): readonly Html[] {
  const failure = [...results.values()].flatMap(({ verdict }) =>
    verdict.kind === 'fail' ? [sentenceOf(verdict)] : [],
  )[0]
  const name = html`<code>${id}</code>${failure !== undefined && html`<br><span class="dim">${failure}</span>`}`
  return [
    name,
    ...runs.map(({ letter }) => {
      const result = results.get(letter)
      return result === undefined ? html`<span class="dim">not run</span>` : signOf(result.verdict.kind)
    }),
  ]
}
