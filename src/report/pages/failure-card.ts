import type { SerializedResult } from '../../check/result.ts'
import type { Failure } from '../../check/verdict.ts'
import { countOf } from '../../count.ts'
import { type Html, html } from '../../markup/html.ts'
import { replayLine } from '../conformance/replay-line.ts'
import type { Report } from '../report.ts'
import { gravityWords } from '../roots.ts'
import type { Rules } from '../rule.ts'
import { saidOf, sentenceOf } from '../said.ts'
import { copyable } from './parts/copyable.ts'
import { exchangeView, lineOf } from './parts/exchange.ts'
import { inline } from './parts/inline.ts'
import { folded } from './parts/page.ts'

/** A failure: what went wrong and how to mend it; opened, the rule, what was found, the exchange that shows it if there is room, and how to see it again. */
export function failureCard(result: SerializedResult, report: Report, rules: Rules, isDetailed: boolean): Html {
  const { id, level, gravity, clause, verdict, known, exchanges } = result
  const rule = rules.get(id)
  const sentence = verdict.kind === 'fail' ? sentenceOf(verdict) : 'Assay itself failed in this check.'
  const root = report.roots.find((one) => one.id === id)
  const blocks = root?.blocks ?? []
  const last = exchanges.at(-1)
  const earlier = isDetailed ? exchanges.slice(0, -1) : exchanges
  return html`<details class="card edge-${known === undefined && verdict.kind === 'fail' ? 'bad' : 'warn'}" id="${id}"><summary><strong>${sentence}</strong>
${rule !== undefined && html`<p class="sub">${inline(rule.fix)}</p>`}
<p class="sub tags"><code>${id}</code><span>${level}</span>${gravity !== undefined && html`<span>${gravityWords[gravity]}</span>`}${blocks.length > 0 && html`<span>blocks ${countOf(blocks.length, 'check')}</span>`}${known !== undefined && html`<span>known: ${known.reason}</span>`}</p></summary>
${verdict.kind === 'fail' ? html`<p>${verdict.what}</p>` : html`<pre tabindex="0">${saidOf(result)}</pre>`}
<dl class="pair">${verdict.kind === 'fail' && found(verdict)}${rule !== undefined && html`<dt>rule</dt><dd>${inline(rule.statements[0] ?? '')} <a href="#clause-${clause}">Clause ${clause}</a></dd><dt>why it matters</dt><dd>${inline(rule.why)}</dd>`}</dl>
${last !== undefined && isDetailed && html`<h3>The exchange</h3>${exchangeView(last, verdict.kind === 'fail' ? verdict : { what: '', actual: '' })}`}
${earlier.length > 0 && folded(`${countOf(earlier.length, 'exchange')}${isDetailed ? ' before it' : ''}`, html`<ol>${earlier.map((one) => html`<li><code>${lineOf(one)}</code></li>`)}</ol>`)}
<p>Run this check again:</p>${copyable(replayLine(result, report))}
${blocks.length > 0 && html`<p class="dim">Not decided because of it: ${blocks.map((one) => html`<a href="#${one}"><code>${one}</code></a> `)}</p>`}</details>`
}

function found({ expected, actual, counterexample }: Failure): Html {
  return html`<dt>expected</dt><dd><code>${expected}</code></dd><dt>actual</dt><dd><code class="bad">${actual}</code></dd>
${counterexample !== undefined && html`<dt>smallest value found</dt><dd><code>${counterexample.value}</code> <span class="dim">seed ${counterexample.seed}, path ${counterexample.path}</span></dd>`}`
}
