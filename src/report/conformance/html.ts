import type { SerializedResult } from '../../check/result.ts'
import { type Verdict, type VerdictKind, verdictKinds } from '../../check/verdict.ts'
import type { Clause } from '../../contract/clauses.ts'
import { countOf } from '../../count.ts'
import { bodyText, type RecordedExchange } from '../../wire/recorded-exchange.ts'
import { excerptAround } from '../excerpt.ts'
import { type Html, html } from '../html.ts'
import { renderPage } from '../page.ts'
import type { Against, Report } from '../report.ts'
import { failuresInOrder, gravityWords, titledRoots } from '../roots.ts'
import type { Rules } from '../rule.ts'
import { saidOf, sentenceOf } from '../said.ts'
import { inWords } from '../unasked.ts'
import { replayLine } from './replay-line.ts'

const bodyCharsMax = 4000

/** A run as one page: the verdict, clause by clause, each failure with its exchange, and what was observed. */
export function renderConformanceHtml(report: Report, rules: Rules, contract: readonly Clause[]): string {
  const { gate, target, run, results, harness } = report
  const others = results.filter(
    ({ verdict, known }) => verdict.kind === 'error' || (verdict.kind === 'fail' && known !== undefined),
  )
  const failed = [...failuresInOrder(results, report.roots), ...others]
  const body = html`<header><h1>${target.baseUrl}${target.apiPath}</h1>
<p class="${gate.exitCode === 0 ? 'good' : 'bad'}"><strong>${gate.reason}</strong></p>
<p class="dim">Contract ${report.contract}, gate at ${gate.level}; model ${target.model ?? '–'}; ${countOf(run.requests, 'request')}, ${countOf(run.tokens, 'token')}, ${(run.durationMs / 1000).toFixed(1)} s; seed ${run.seed}; ${run.startedAt}; ${harness.name} ${harness.version}</p></header>
${(report.notices ?? []).map((notice) => html`<p class="warn">${notice}</p>`)}
${report.unasked !== undefined && html`<p class="warn">Stopped early: ${inWords(report.unasked)}.</p>`}
${whatToMend(report)}
${levelTable(report)}
<h2>By clause</h2>${clauseTable(report, contract)}
${failed.length > 0 && html`<h2>Failures</h2>${failed.map((result) => failure(result, report, rules))}`}
${report.against !== undefined && differences(report.against)}
<h2>All checks</h2>
<form class="filters" role="search"><label>Search <input type="search" id="query" placeholder="id, clause or text" autocomplete="off"></label>
<fieldset><legend>Verdicts</legend>${verdictKinds.filter((kind) => results.some(({ verdict }) => verdict.kind === kind)).map((kind) => html`<label><input type="checkbox" name="verdict" value="${kind}" checked> ${kind}</label>`)}</fieldset>
<p id="shown" role="status" class="dim">${results.length} checks</p></form>
<div class="scroll" tabindex="0" role="region" aria-label="All checks"><table id="checks"><thead><tr><th scope="col">check</th><th scope="col">level</th><th scope="col">clause</th><th scope="col">verdict</th><th scope="col">what was found</th></tr></thead>
<tbody>${results.map((result) => row(result, rules))}</tbody></table></div>
<h2>Observed where the contract is silent</h2>${observations(results, rules)}`
  return renderPage({ title: `${gate.reason}: ${target.baseUrl}`, style, body, script })
}

/** What to mend first, each root with its fix and a link to its failure. */
function whatToMend({ roots }: Report): Html {
  return html`${titledRoots(roots).map(
    ({ title, roots: own }) => html`<h2>${title}</h2>
<ol class="roots">${own.map(({ id, level, gravity, wrong, said, fix, blocks }) => html`<li><a href="#${id}"><strong>${wrong ?? said}</strong></a> <code>${id}</code> <span class="dim">${level}, ${gravityWords[gravity]}${blocks.length > 0 && `, blocks ${blocks.length}`}</span><br>${fix}</li>`)}</ol>`,
  )}`
}

const tone: Readonly<Record<VerdictKind, string>> = {
  pass: 'good',
  fail: 'bad',
  error: 'bad',
  observed: 'dim',
  'not-applicable': 'dim',
  untestable: 'warn',
  blocked: 'warn',
}

function levelTable({ results }: Report): Html {
  return countTable(
    'level',
    (['must', 'should', 'open'] as const).map(
      (level) => [level, results.filter((result) => result.level === level)] as const,
    ),
  )
}

function clauseTable({ results }: Report, contract: readonly Clause[]): Html {
  const numbers = [...new Set(results.map(({ clause }) => clause))]
  return countTable(
    'clause',
    numbers.map((number) => {
      const title = contract.find((clause) => clause.number === number)?.title ?? ''
      return [`${number} ${title}`, results.filter(({ clause }) => clause === number)] as const
    }),
  )
}

function countTable(name: string, groups: readonly (readonly [string, readonly SerializedResult[]])[]): Html {
  const kinds = verdictKinds.filter((kind) =>
    groups.some(([, own]) => own.some(({ verdict }) => verdict.kind === kind)),
  )
  const rows = groups
    .filter(([, own]) => own.length > 0)
    .map(([title, own]) => {
      const cells = kinds.map((kind) => {
        const count = own.filter(({ verdict }) => verdict.kind === kind).length
        return html`<td class="${count > 0 ? tone[kind] : 'dim'}">${count === 0 ? '·' : count}</td>`
      })
      return html`<tr><th scope="row">${title}</th>${cells}</tr>`
    })
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Verdicts by ${name}"><table class="counts"><thead><tr><th scope="col">${name}</th>${kinds.map((kind) => html`<th scope="col">${kind}</th>`)}</tr></thead><tbody>${rows}</tbody></table></div>`
}

function failure(result: SerializedResult, report: Report, rules: Rules): Html {
  const rule = rules.get(result.id)
  const { verdict } = result
  const exchange = result.exchanges.at(-1)
  const sentence = verdict.kind === 'fail' ? sentenceOf(verdict) : 'The harness itself failed.'
  const found =
    verdict.kind === 'fail'
      ? html`<p>${verdict.what}</p><dl class="pair"><dt>expected</dt><dd><code>${verdict.expected}</code></dd><dt>actual</dt><dd><code>${verdict.actual}</code></dd></dl>
${verdict.counterexample !== undefined && html`<p>The smallest value found: <code>${verdict.counterexample.value}</code> (seed ${verdict.counterexample.seed}, path ${verdict.counterexample.path})</p>`}`
      : html`<p>${saidOf(result)}</p>`
  return html`<details class="failure" open id="${result.id}"><summary><strong>${sentence}</strong> <code>${result.id}</code> <span class="dim">${result.level}, clause ${result.clause}${result.known !== undefined && `; known: ${result.known.reason}`}</span></summary>
${rule !== undefined && html`<p><span class="dim">Rule:</span> ${rule.statements[0]}</p>`}${found}
${rule !== undefined && html`<p>${rule.why} ${rule.fix}</p>`}
${exchange !== undefined && exchangeOf(exchange, verdict)}
<p>Run it again:</p><pre tabindex="0">${replayLine(result, report)}</pre></details>`
}

function exchangeOf(exchange: RecordedExchange, verdict: Verdict): Html {
  const { answer, ending, endedAtMs, curl, problem } = exchange
  const failure = verdict.kind === 'fail' ? verdict : { what: '', actual: '' }
  const { before, marked, after } = excerptAround(bodyText(answer?.body), failure, bodyCharsMax)
  return html`<pre tabindex="0">${curl}</pre>
<p class="dim">${answer === undefined ? 'no answer' : `HTTP ${answer.status} after ${answer.headMs} ms`}; ${ending} after ${endedAtMs} ms${problem !== undefined && ` (${problem})`}</p>
${picture(exchange)}
${answer !== undefined && html`<details><summary>headers</summary><pre tabindex="0">${answer.headers.map(([name, value]) => `${name}: ${value}`).join('\n')}</pre></details>`}
${before + marked !== '' && html`<pre tabindex="0">${before}${marked !== '' && html`<mark>${marked}</mark>`}${after}</pre>`}`
}

const wide = 640
const high = 64

/** When the bytes came: one bar for each piece, as high as the piece is large. */
function picture({ arrivals, endedAtMs, answer }: RecordedExchange): Html {
  if (arrivals.length === 0) return html``
  const most = Math.max(...arrivals.map(([, bytes]) => bytes))
  const place = (ms: number): number => (ms / Math.max(endedAtMs, 1)) * (wide - 4)
  const bars = arrivals.slice(0, 400).map(([atMs, bytes]) => {
    const tall = Math.max(3, (bytes / most) * (high - 16))
    return html`<rect x="${place(atMs).toFixed(1)}" y="${(high - 12 - tall).toFixed(1)}" width="2" height="${tall.toFixed(1)}"><title>${bytes} B at ${atMs} ms</title></rect>`
  })
  const total = arrivals.reduce((sum, [, bytes]) => sum + bytes, 0)
  const words = `${total} bytes in ${arrivals.length} pieces, from ${arrivals[0]?.[0]} to ${arrivals.at(-1)?.[0]} ms; head after ${answer?.headMs} ms; the end after ${endedAtMs} ms`
  return html`<svg class="bytes" viewBox="0 0 ${wide} ${high}" role="img" aria-label="${words}"><line x1="0" x2="${wide}" y1="${high - 12}" y2="${high - 12}"/>${answer !== undefined && html`<line class="head" x1="${place(answer.headMs).toFixed(1)}" x2="${place(answer.headMs).toFixed(1)}" y1="0" y2="${high - 12}"/>`}${bars}<text x="0" y="${high - 1}">0 ms</text><text x="${wide}" y="${high - 1}" text-anchor="end">${endedAtMs} ms</text></svg>`
}

const sides = { here: ['bad', 'this one'], there: ['warn', 'the other one'], neither: ['dim', 'neither'] } as const

function differences({ baseUrl, differences: list }: Against): Html {
  const rows = list.map(({ id, level, here, there, departs }) => {
    const [className, words] = sides[departs]
    return html`<tr><td><code>${id}</code></td><td>${level}</td><td class="found">${here.slice(0, 300)}</td><td class="found">${there.slice(0, 300)}</td><td class="${className}">${words}</td></tr>`
  })
  return html`<h2>Compared with ${baseUrl}</h2>
${rows.length === 0 ? html`<p>The gateways do not differ in any check that was decided on both.</p>` : html`<div class="scroll" tabindex="0" role="region" aria-label="Differences"><table><thead><tr><th scope="col">check</th><th scope="col">level</th><th scope="col">here</th><th scope="col">there</th><th scope="col">fails</th></tr></thead><tbody>${rows}</tbody></table></div>`}`
}

function row(result: SerializedResult, rules: Rules): Html {
  const { id, level, clause, verdict } = result
  const link =
    verdict.kind === 'fail' || verdict.kind === 'error'
      ? html`<a href="#${id}"><code>${id}</code></a>`
      : html`<code>${id}</code>`
  const words = saidOf(result)
  return html`<tr data-verdict="${verdict.kind}"><td>${link}<br><span class="dim">${rules.get(id)?.statements[0] ?? ''}</span></td><td>${level}</td><td>${clause}</td><td class="${tone[verdict.kind]}">${verdict.kind}</td><td class="found">${words.slice(0, 400)}</td></tr>`
}

function observations(results: readonly SerializedResult[], rules: Rules): Html {
  const rows = results.flatMap(({ id, verdict }) =>
    verdict.kind === 'observed'
      ? [
          html`<tr><td><code>${id}</code><br><span class="dim">${rules.get(id)?.statements[0] ?? ''}</span></td><td class="found"><code>${(JSON.stringify(verdict.value) ?? '').slice(0, 600)}</code></td></tr>`,
        ]
      : [],
  )
  if (rows.length === 0) return html`<p>Nothing was observed.</p>`
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Observations"><table><thead><tr><th scope="col">check</th><th scope="col">what this gateway does</th></tr></thead><tbody>${rows}</tbody></table></div>`
}

const style = `
.counts td,.counts th{white-space:nowrap}.found{text-align:left;overflow-wrap:anywhere;max-width:28rem}
#checks td,#checks th{text-align:left;vertical-align:top}th[scope=row]{text-align:left;color:inherit;font-weight:400}
.failure{border:1px solid var(--line);border-left:4px solid var(--bad);border-radius:6px;padding:.5rem 1rem;margin:0 0 1rem}
summary{cursor:pointer}.pair{display:grid;grid-template-columns:max-content 1fr;gap:.25rem 1rem}.pair dd{margin:0;overflow-wrap:anywhere}
pre{white-space:pre-wrap;overflow-wrap:anywhere}
.filters{display:flex;flex-wrap:wrap;gap:1rem;align-items:end;margin-bottom:.5rem}fieldset{min-width:0;border:1px solid var(--line);border-radius:6px;display:flex;flex-wrap:wrap;gap:.75rem}
input[type=search]{font:inherit;padding:.3rem .5rem;width:16rem;max-width:100%;background:var(--back);color:var(--front);border:1px solid var(--dim);border-radius:4px}
:focus-visible{outline:2px solid var(--link);outline-offset:2px}
.bytes{width:100%;max-width:40rem;height:auto}.bytes line{stroke:var(--line)}.bytes .head{stroke:var(--dim);stroke-dasharray:3 3}.bytes rect{fill:var(--link)}.bytes text{font:10px system-ui;fill:var(--dim)}
@media print{.filters{display:none}details>*{display:block}}
`

const script = `
const rows=[...document.querySelectorAll('#checks tbody tr')],query=document.getElementById('query'),boxes=[...document.querySelectorAll('input[name=verdict]')],shown=document.getElementById('shown');
function filter(){const words=query.value.toLowerCase(),kinds=new Set(boxes.filter(b=>b.checked).map(b=>b.value));let count=0;
for(const row of rows){const show=kinds.has(row.dataset.verdict)&&row.textContent.toLowerCase().includes(words);row.hidden=!show;if(show)count++}
shown.textContent=count+' of '+rows.length+' checks'}
query.addEventListener('input',filter);for(const box of boxes)box.addEventListener('change',filter);
document.querySelector('.filters').addEventListener('submit',event=>event.preventDefault());
`
