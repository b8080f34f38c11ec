import { countOf } from '../../src/count.ts'
import { readContract } from '../../src/fixtures.ts'
import { badgePicture } from '../../src/report/conformance/badge.ts'
import { pageStyle } from '../../src/report/pages/parts/page.ts'
import { checks } from '../../suites/index.ts'
import { type Cell, type Column, newestOf } from '../results.ts'
import { failuresOf } from './areas.ts'
import { checkPage, checksIndex, statementPage } from './check-pages.ts'
import { differencePage } from './difference-page.ts'
import { columnFile } from './frame.ts'
import { frontPage } from './front.ts'
import { serverPage } from './server-page.ts'

/** Every file of the site, by its path. The same results give the same bytes. */
export function siteOf(columns: readonly Column[]): ReadonlyMap<string, string> {
  const perServer = Map.groupBy(columns, ({ server }) => server)
  return new Map([
    ['index.html', frontPage(columns)],
    ['checks.html', checksIndex()],
    ['page.css', pageStyle()],
    ['results.json', dataOf(columns)],
    ...[...perServer].map(([server, own]) => [`servers/${server}.html`, serverPage(own)] as const),
    ...checks.map((check) => [`checks/${check.id}.html`, checkPage(check, columns)] as const),
    ...readContract().flatMap(({ statements }) =>
      statements.map(({ id, text }) => [`statements/${id}.html`, statementPage(id, text, columns)] as const),
    ),
    ...columns.map((column) => [`differences/${columnFile(column)}`, differencePage(column, columns)] as const),
    ...newestOf(columns).map((column) => [`badges/${column.server}.svg`, badgeOf(column)] as const),
  ])
}

function badgeOf(column: Column): string {
  const count = failuresOf(column).length
  const message = count === 0 ? 'conformant' : countOf(count, 'failure')
  return badgePicture({
    label: `inference contract v1: ${column.server} ${column.version}`,
    message,
    color: count === 0 ? 'brightgreen' : 'red',
  })
}

/** All verdicts: the checks once, and of each version a letter for each of them. */
function dataOf(columns: readonly Column[]): string {
  const ids = checks.map(({ id }) => id)
  const versions = columns.map(({ results, ...head }) => {
    const verdictOf = new Map(results.map(({ id, verdict }) => [id, verdict]))
    return { ...head, verdicts: ids.map((id) => letterOf[verdictOf.get(id) ?? 'none']).join('') }
  })
  const letters = Object.fromEntries(Object.entries(letterOf).map(([verdict, letter]) => [letter, verdict]))
  return `${JSON.stringify({ schema: 'inference-assay/results/1', letters, checks: ids, versions })}\n`
}

/** `none` where a version was judged before the check came. */
const letterOf = {
  pass: 'p',
  fail: 'f',
  observed: 'o',
  'not-applicable': 'n',
  untestable: 'u',
  blocked: 'b',
  error: 'e',
  none: '-',
} as const satisfies Record<Cell['verdict'] | 'none', string>
