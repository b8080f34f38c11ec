import { countOf } from '../../src/count.ts'
import { readContract } from '../../src/fixtures.ts'
import { type Html, html } from '../../src/markup/html.ts'
import { checks } from '../../suites/index.ts'
import type { Cell, Column } from '../results.ts'
import { columnNames, grid, sitePage } from './frame.ts'

type AnyCheck = (typeof checks)[number]

interface Judged {
  readonly column: Column
  readonly cell: Cell
}

/** From so many on, the versions of the last row are told by their number: the front page names them all. */
const othersMin = 4

/** One check across all servers: what it asks, and what each answered. */
export function checkPage(check: AnyCheck, columns: readonly Column[]): string {
  const cells = columns.flatMap((column) => {
    const cell = column.results.find(({ id }) => id === check.id)
    return cell === undefined ? [] : [{ column, cell }]
  })
  const failed = cells.filter(({ cell }) => cell.verdict === 'fail').length
  const head = {
    kind: `check, ${check.level}, clause ${check.clause}`,
    subject: check.id,
    verdict: {
      tone: failed === 0 ? 'good' : 'bad',
      words:
        failed === 0 ? 'No version fails it' : `${countOf(failed, 'version')} ${failed === 1 ? 'fails' : 'fail'} it`,
    },
    facts: [],
  } as const
  // What is decided the same way in many versions shares a row; the longest row comes last, and need not name them.
  const groups = [...Map.groupBy(cells, ({ cell }) => `${cell.verdict}: ${saidIn(cell)}`).values()]
  const rows = groups
    .toSorted((one, other) => one.length - other.length)
    .map((some, place) => rowOf(some, place === groups.length - 1 && `${groups.length === 1 ? 'all' : 'the other'} `))
  const curl = groups.flatMap(([first]) => first?.cell.curl ?? [])[0]
  const proves = check.states.map((state) => html`<a href="../statements/${state}.html">${state}</a> `)
  return sitePage(
    1,
    head,
    html`<p>${check.why}</p><p class="dim">Proves ${proves}</p>${grid(['verdict', 'version', 'seen'], rows)}${requestIn(curl)}`,
  )
}

/** Versions of one verdict; `rest` is how to call them by their number, where that is enough. */
function rowOf(some: readonly Judged[], rest: string | false): readonly (Html | string)[] {
  const [first] = some
  if (first === undefined) throw new Error('a row without a version')
  const { verdict } = first.cell
  return [
    // Failures stand out.
    verdict === 'fail' ? html`<strong>fail</strong>` : verdict,
    rest !== false && some.length >= othersMin
      ? rest + countOf(some.length, 'version')
      : columnNames(some.map(({ column }) => column)),
    saidIn(first.cell),
  ]
}

/** What a verdict rests on, beside the word for it. */
function saidIn({ verdict, what, expected, actual, by, cause, value }: Cell): string {
  if (verdict === 'fail') return `${what}: expected ${expected}, got ${actual}`
  if (verdict === 'observed') return JSON.stringify(value) ?? ''
  return by ?? cause ?? ''
}

/** What one version was asked; the pages of the servers have the answers, and what each of the others was asked. */
function requestIn(curl: string | undefined): Html {
  return curl === undefined
    ? html``
    : html`<details><summary>A request that fails</summary><pre>${curl}</pre></details>`
}

/** One statement of the contract: the checks that prove it, and who fails them. */
export function statementPage(id: string, text: string, columns: readonly Column[]): string {
  const own = checks.filter(({ states }) => states.some((state) => state === id))
  const failing = (check: string): readonly Column[] =>
    columns.filter(({ results }) => results.some((cell) => cell.id === check && cell.verdict === 'fail'))
  const head = {
    kind: 'statement',
    subject: id,
    verdict: { tone: 'dim', words: countOf(own.length, 'check') },
    facts: [],
  } as const
  const rows = own.map((check) => [
    html`<a href="../checks/${check.id}.html">${check.id}</a>`,
    check.level,
    columnNames(failing(check.id)) || '–',
  ])
  return sitePage(1, head, html`<p>${text}</p>${grid(['check', 'level', 'failed by'], rows)}`)
}

/** Every clause with its statements and their checks. */
export function checksIndex(): string {
  const head = {
    kind: 'contract v1',
    subject: 'Checks',
    verdict: { tone: 'dim', words: countOf(checks.length, 'check') },
    facts: [],
  } as const
  const linksOf = (statement: string): readonly Html[] =>
    checks
      .filter(({ states }) => states[0] === statement)
      .map((check) => html`<a href="checks/${check.id}.html">${check.id}</a> `)
  const body = readContract().map(({ number, title, statements }) => {
    const rows = statements.map(({ id }) => ({ id, links: linksOf(id) }))
    const count = rows.reduce((sum, { links }) => sum + links.length, 0)
    return html`<details class="group"><summary><strong>${number} ${title}</strong><span class="tags">${countOf(count, 'check')}</span></summary>
<ul>${rows.map(({ id, links }) => html`<li><a href="statements/${id}.html">${id}</a>${links.length > 0 && html`: ${links}`}`)}</ul></details>`
  })
  return sitePage(0, head, html`${body}`)
}
