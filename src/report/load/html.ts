import type { SweepPoint } from '../../load/experiments.ts'
import { percentiles } from '../../load/figures/histogram.ts'
import { metricNames, metrics } from '../../load/figures/metrics.ts'
import { meaning, outcomes } from '../../load/figures/outcome.ts'
import { chartStyle, renderChart } from '../chart.ts'
import { type Html, html } from '../html.ts'
import { renderPage } from '../page.ts'
import { charts } from './charts.ts'
import { badOf, type LoadReport, wordsOf } from './report.ts'

/** A load run as one page: latencies over time and by percentile, the sweep with its knee, and how far to trust it. */
export function renderLoadHtml(report: LoadReport): string {
  const { main, plan, target, gate, startedAt } = report
  const { result } = main
  const { validity, throughput, goodput, slo } = result
  const body = html`<h1>Load on ${target.baseUrl}</h1>
<p class="dim">${wordsOf(plan)}; model ${target.model}; ${startedAt}; seed ${plan.seed}</p>
<p class="${gate.exitCode === 0 ? 'good' : 'bad'}"><strong>${gate.reason}</strong></p>
<p>${throughput.requestsPerS.toFixed(2)} requests/s, ${throughput.eventsPerS.toFixed(0)} events/s, ${throughput.tokensPerS.toFixed(0)} tokens/s
(source: ${throughput.tokenSource})${slo.length > 0 && `; goodput ${goodput.requestsPerS.toFixed(2)}/s, ${(goodput.share * 100).toFixed(1)} % of what was sent`}</p>
${slo.length > 0 && html`<h2>Objectives</h2>${objectivesTable(report)}`}
<h2>How the requests ended</h2>${outcomesTable(report)}
<h2>Latencies</h2><p class="dim">Milliseconds, only of complete replies. A grey value rests on fewer than five values beyond it.</p>${latenciesTable(report)}
<h2>Charts</h2>${charts(report).map(renderChart)}
${sweepPoints(report).length > 0 && html`<h2>Loads tried</h2>${sweepTable(sweepPoints(report))}`}
${report.baseline !== undefined && html`<h2>What the gateway adds</h2>${addedTable(report)}`}
${(report.probes ?? []).length > 0 && html`<h2>The contract under load</h2><ul>${(report.probes ?? []).map(({ probe, verdict, said }) => html`<li><strong class="${verdict === 'pass' ? 'good' : verdict === 'fail' ? 'bad' : 'warn'}">${verdict}</strong> ${probe}: ${said}</li>`)}</ul>`}
<h2>How far to trust it</h2>
<p>The measurement is <strong class="${{ valid: 'good', suspect: 'warn', invalid: 'bad', interrupted: 'bad' }[validity.verdict]}">${validity.verdict}</strong>.
Requests were sent ${ms(validity.sendLatenessMs.p50)} ms late (p99 ${ms(validity.sendLatenessMs.p99)} ms); the client's own lag was ${ms(validity.clientLagMs.p99)} ms at p99;
its threads used ${validity.cpuPerShard.map((cpu) => `${Math.round(cpu * 100)} %`).join(', ')} of a core; there were ${validity.eventsPerRead.toFixed(2)} events per read.</p>
<ul>${validity.reasons.map((reason) => html`<li>${reason}</li>`)}</ul>
<h2>What the names mean</h2><dl>${metricNames.map((name) => html`<dt><code>${name}</code> = ${metrics[name].formula}</dt><dd>${metrics[name].about}</dd>`)}</dl>`
  return renderPage({ title: `Load on ${target.baseUrl}`, style: chartStyle, body })
}

function objectivesTable({ main }: LoadReport): Html {
  const rows = main.result.slo.map(
    ({ expression, value, pass }) =>
      html`<tr><td><code>${expression}</code></td><td>${value === null ? 'nothing was measured' : brief(value)}</td><td class="${pass ? 'good' : 'bad'}">${pass ? 'met' : 'missed'}</td></tr>`,
  )
  return table(['objective', 'measured', 'verdict'], rows)
}

function outcomesTable({ main }: LoadReport): Html {
  const { result } = main
  const rows = outcomes
    .filter((outcome) => result.outcomes[outcome] > 0)
    .map((outcome) => {
      const reasons = (result.reasons[outcome] ?? []).map(
        (reason) => html`<br><span class="dim">${reason.slice(0, 200)}</span>`,
      )
      return html`<tr><td>${outcome}: ${meaning[outcome]}${reasons}</td><td>${result.outcomes[outcome]}</td><td>${((result.outcomes[outcome] / result.outcomes.sent) * 100).toFixed(2)} %</td></tr>`
    })
  return table(['outcome', `of ${result.outcomes.sent} sent`, 'share'], rows)
}

function latenciesTable({ main }: LoadReport): Html {
  const names = Object.keys(percentiles) as (keyof typeof percentiles)[]
  const rows = metricNames.flatMap((name) =>
    (['service', 'response'] as const).flatMap((view) => {
      const stats = main.result.metrics[name][view]
      if (stats.count === 0 || (view === 'response' && !metrics[name].fromStart)) return []
      const label = metrics[name].fromStart ? `${name} from ${view === 'service' ? 'send' : 'intended start'}` : name
      return html`<tr><td>${label}</td><td>${stats.count}</td><td>${ms(stats.mean)}</td>${names.map((one) => html`<td${stats.unreliable.includes(one) && html` class="dim"`}>${ms(stats[one])}</td>`)}<td>${ms(stats.max)}</td></tr>`
    }),
  )
  return table(['metric', 'count', 'mean', ...names.map((name) => `p${percentiles[name]}`), 'max'], rows)
}

function sweepPoints({ sweep, knee }: LoadReport): readonly SweepPoint[] {
  return sweep ?? knee?.points ?? []
}

function sweepTable(points: readonly SweepPoint[]): Html {
  const rows = points.map(({ value, result }) => {
    const met = result.slo.length === 0 ? '–' : result.slo.every(({ pass }) => pass) ? 'met' : 'missed'
    return html`<tr><td>${brief(value)}</td><td>${result.throughput.requestsPerS.toFixed(2)}</td><td>${ms(result.metrics.ttft.response.p50)}</td><td>${ms(result.metrics.ttft.response.p95)}</td><td>${ms(result.metrics.gap.service.p99)}</td><td>${badOf(result)}</td><td>${met}</td></tr>`
  })
  return table(['load', 'requests/s', 'ttft p50', 'ttft p95', 'gap p99', 'bad', 'objectives'], rows)
}

function addedTable({ baseline }: LoadReport): Html {
  const rows = (baseline?.added ?? [])
    .filter(({ added }) => !Number.isNaN(added))
    .map(({ metric, percentile, direct, through, added, interval }) => {
      const range = interval === null ? '–' : `${ms(interval.low)} to ${ms(interval.high)}`
      return html`<tr><td>${metric} ${percentile}</td><td>${ms(direct)}</td><td>${ms(through)}</td><td>${ms(added)}</td><td>${range}</td></tr>`
    })
  return table(['ms', `direct (${baseline?.baseUrl ?? ''})`, 'through the gateway', 'added', '95 % confidence'], rows)
}

function table(head: readonly string[], rows: readonly Html[]): Html {
  return html`<div class="scroll" tabindex="0" role="region" aria-label="${head[0] ?? ''}"><table><thead><tr>${head.map((one) => html`<th scope="col">${one}</th>`)}</tr></thead><tbody>${rows}</tbody></table></div>`
}

function ms(value: number): string {
  return Number.isNaN(value) ? '–' : value >= 100 ? value.toFixed(1) : value.toFixed(2)
}

function brief(value: number): string {
  return String(Number(value.toPrecision(4)))
}
