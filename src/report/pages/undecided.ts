import type { SerializedResult } from '../../check/result.ts'
import type { Verdict } from '../../check/verdict.ts'
import { countOf } from '../../count.ts'
import { type Html, html } from '../../markup/html.ts'
import type { Report } from '../report.ts'
import { folded } from './parts/page.ts'

/** How many reasons are shown before the rest is folded. */
const reasonsMax = 8

/** What the run did not decide, and what would: the reasons that cover most checks first. */
export function undecided({ results }: Pick<Report, 'results'>): Html {
  const open = results.filter(({ verdict }) => neededFor(verdict) !== undefined)
  if (open.length === 0) return html``
  const groups = [...Map.groupBy(open, ({ verdict }) => neededFor(verdict) ?? '')]
  const rows = groups.sort(([, one], [, other]) => other.length - one.length).map(row)
  const rest = rows.slice(reasonsMax)
  return html`<h2>Not decided</h2>
<p class="dim">${countOf(open.length, 'check')}, which say nothing against the gateway. What would decide them:</p>
<ul class="checks">${rows.slice(0, reasonsMax)}</ul>${rest.length > 0 && folded(countOf(rest.length, 'more reason'), html`<ul class="checks">${rest}</ul>`)}`
}

function row([needed, some]: readonly [string, readonly SerializedResult[]]): Html {
  const required = some.filter(({ level }) => level === 'must').length
  return html`<li><details><summary><strong class="count">${some.length}</strong> ${needed} <span class="dim">${required > 0 && `${required} required`}</span></summary>
<p>${some.map(({ id }) => html`<a href="#${id}"><code>${id}</code></a> `)}</p></details></li>`
}

/** What it takes to decide a check; undefined for one that was decided. */
function neededFor(verdict: Verdict): string | undefined {
  if (verdict.kind === 'blocked') return `Mend ${verdict.by} first`
  if (verdict.kind !== 'untestable') return undefined
  // What keeps a check from being decided keeps those that depend on it.
  const reason = verdict.reason.replace(/^[\w.-]+ could not be decided: /, '')
  const [, option = reason] = /^needs [\w-]+: (.+)$/.exec(reason) ?? []
  return option.slice(0, 1).toUpperCase() + option.slice(1)
}
