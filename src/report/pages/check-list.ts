import type { SerializedResult } from '../../check/result.ts'
import { verdictKinds } from '../../check/verdict.ts'
import { type Clause, clausesOf } from '../../contract/clauses.ts'
import { countOf } from '../../count.ts'
import { type Html, html } from '../../markup/html.ts'
import type { Report } from '../report.ts'
import type { Rules } from '../rule.ts'
import { saidOf, sentenceOf } from '../said.ts'
import { lineOf } from './parts/exchange.ts'
import { inline } from './parts/inline.ts'
import { folded } from './parts/page.ts'
import { shownValue } from './parts/values.ts'
import { signOf, verdictLooks } from './parts/verdict-looks.ts'

/** Every check, folded by clause, with filters where there is a script. */
export function checkList({ results }: Pick<Report, 'results'>, rules: Rules, contract: readonly Clause[]): Html {
  const kinds = verdictKinds.filter((kind) => results.some(({ verdict }) => verdict.kind === kind))
  return html`<h2 id="all">All checks</h2>
<form class="filters scripted-only" role="search" data-for="checks"><label>Search <input type="search" placeholder="id or text" autocomplete="off"></label>
<fieldset><legend>Verdicts</legend>${kinds.map((kind) => html`<label><input type="checkbox" value="${kind}" checked> ${kind}</label>`)}</fieldset>
<output role="status" class="dim">${results.length} of ${results.length}</output></form>
<div id="checks">${clausesOf(results, contract).map(({ number }) =>
    clauseGroup(
      number,
      results.filter(({ clause }) => clause === number),
      rules,
      contract.find((clause) => clause.number === number),
    ),
  )}</div>
${folded('What the verdicts mean', html`<dl class="pair">${kinds.map((kind) => html`<dt>${signOf(kind)}${kind}</dt><dd>${verdictLooks[kind].about}</dd>`)}</dl>`)}`
}

function clauseGroup(
  number: string,
  results: readonly SerializedResult[],
  rules: Rules,
  clause: Clause | undefined,
): Html {
  const counts = verdictKinds
    .map((kind) => [kind, results.filter(({ verdict }) => verdict.kind === kind).length] as const)
    .filter(([, count]) => count > 0)
  return html`<details class="group" id="clause-${number}"><summary><strong>${number} ${clause?.title ?? ''}</strong><span class="tags">${counts.map(([kind, count]) => html`<span class="${verdictLooks[kind].tone}">${count} ${kind}</span>`)}</span></summary>
${clause !== undefined && folded('What the contract says', html`<ul>${clause.statements.map(({ level, text }) => html`<li><strong>${level}</strong> ${inline(text)}</li>`)}</ul>`)}
<ul class="checks">${results.map((result) => entry(result, rules))}</ul></details>`
}

/** One check. A failure has a card of its own, and is only named here. */
function entry(result: SerializedResult, rules: Rules): Html {
  const { id, level, verdict } = result
  const name = html`${signOf(verdict.kind)}<code>${id}</code> <span class="dim">${level}</span>`
  if (verdict.kind === 'fail' || verdict.kind === 'error') {
    const words = verdict.kind === 'fail' ? sentenceOf(verdict) : verdict.message.split('\n')[0]
    return html`<li data-kind="${verdict.kind}">${name} <a href="#${id}">${words}</a></li>`
  }
  const statement = rules.get(id)?.statements[0]
  return html`<li data-kind="${verdict.kind}"><details id="${id}"><summary>${name}${verdict.kind !== 'pass' && verdict.kind !== 'observed' && html` <span class="dim">· ${saidOf(result)}</span>`}</summary>
${statement !== undefined && html`<p>${inline(statement)}</p>`}${seen(result)}</details></li>`
}

/** How many exchanges of a check are named. */
const exchangesMax = 20

/** What a check looked at. */
function seen({ verdict, exchanges }: SerializedResult): Html {
  const own =
    verdict.kind === 'observed' ? shownValue(verdict.value) : verdict.kind === 'pass' ? proofs(verdict) : html``
  return html`${own}${exchanges.length > 0 && folded(countOf(exchanges.length, 'exchange'), html`<ol>${exchanges.slice(0, exchangesMax).map((exchange) => html`<li><code>${lineOf(exchange)}</code></li>`)}</ol>`)}`
}

function proofs({
  proofs: count,
  proved = [],
}: {
  readonly proofs: number
  readonly proved?: readonly string[]
}): Html {
  const rest = count > proved.length ? html`<p class="dim">${countOf(count, 'expectation')} held in all.</p>` : html``
  return html`${proved.length > 0 && html`<ul>${proved.map((what) => html`<li>${what}</li>`)}</ul>`}${rest}`
}
