import { countOf } from '../../count.ts'
import type { SweepPoint } from '../../load/experiments.ts'
import { metricNames, metrics } from '../../load/figures/metrics.ts'
import type { LoadResult } from '../../load/figures/result.ts'
import { loadWords } from '../../load/schedule/load-words.ts'
import { renderChart } from '../../markup/charts/chart.ts'
import { type Html, html } from '../../markup/html.ts'
import { ms } from '../load/milliseconds.ts'
import { type LoadReport, loadsOf, triedWords } from '../load/report.ts'
import { chartsByLoad, chartsOfRun } from './load-charts.ts'
import { keyFigures } from './load-figures.ts'
import { addedTable, latencyTable, outcomeTable, seriesTable } from './load-tables.ts'
import { banner, folded, renderPage, timeOf } from './parts/page.ts'

/** A load run as one page: four figures and their objectives, its charts, a sweep with its knee, and how far to trust it. */
export function renderLoadPage(report: LoadReport): string {
  const { main, gate, target, sweep, knee, plan } = report
  const points = sweep ?? knee?.points ?? []
  const figures = html`${keyFigures(main.result, plan.objectives)}
<div class="charts">${chartsOfRun(main.result, plan.objectives).map(renderChart)}</div>`
  const head = {
    kind: points.length === 0 ? 'load report' : 'load report, several loads',
    subject: `${target.baseUrl}${target.apiPath}`,
    verdict: { tone: gate.exitCode === 0 ? 'good' : 'bad', words: gate.reason },
    facts: factsOf(report, points),
  } as const
  return renderPage(
    head,
    html`${validityBanner(main.result)}
${points.length === 0 ? figures : html`${seriesSummary(report, points)}<div class="charts">${chartsByLoad(report, points).map(renderChart)}</div>${seriesTable(report, points)}<h2>At ${loadOfMain(report)}</h2>${figures}`}
${probes(report)}
<h2>How the requests ended</h2>${outcomeTable(main.result)}
<h2>Latencies</h2>${points.length === 0 ? latencyTable(report) : folded(`Every latency at ${loadOfMain(report)}`, latencyTable(report))}
${report.baseline !== undefined && html`<h2>What the gateway adds</h2>${addedTable(report.baseline)}`}
${trust(main.result)}
${folded('What the names mean', html`<dl class="pair">${metricNames.map((name) => html`<dt><code>${name}</code></dt><dd>${metrics[name].about}: <code>${metrics[name].formula}</code></dd>`)}</dl>`)}`,
  )
}

function factsOf(
  { plan, target, startedAt, harness, main }: LoadReport,
  points: readonly SweepPoint[],
): readonly (readonly [string, string])[] {
  return [
    [points.length === 0 ? 'load' : 'loads', triedWords(plan, loadsOf(points))],
    ['model', target.model],
    [
      'run',
      `${timeOf(startedAt)}, seed ${plan.seed}${main.runs.length > 1 ? `, the median of ${main.runs.length} runs` : ''}`,
    ],
    ['measurement', main.result.validity.verdict],
    ['by', `${harness.name} ${harness.version}`],
  ]
}

/** What a series of loads came to, in a sentence. */
function seriesSummary({ knee, plan }: LoadReport, points: readonly SweepPoint[]): Html {
  if (plan.objectives.length === 0)
    return html`<p>${points.length} loads were tried, without an objective to hold them against.</p>`
  const met = points.filter(({ result }) => result.slo.every(({ pass }) => pass)).map(({ value }) => value)
  const highest =
    met.length === 0
      ? 'none of them met every objective'
      : `the highest that met every objective is ${loadWords(plan, Math.max(...met))}`
  const found =
    knee?.value == null
      ? ''
      : ` The knee is at ${loadWords(plan, knee.value)}: the highest load that met them each time.`
  const undecided = knee?.undecided === undefined ? '' : ` Not decided: ${knee.undecided}.`
  return html`<p>${countOf(points.length, 'load')} tried; ${highest}.${found}${undecided}</p>`
}

/** Figures that may not be relied on say so before they are seen. */
function validityBanner({ validity: { verdict, reasons } }: LoadResult): Html {
  if (verdict === 'valid') return html``
  const why = reasons.join('; ')
  if (verdict === 'interrupted') return banner('bad', `This run is not whole: ${why}. Its figures prove nothing.`)
  if (verdict === 'invalid') return banner('bad', `This measurement is not valid: ${why}.`)
  return banner('warn', `Read with care: ${why}.`)
}

/** The load of a series whose figures are shown in full. */
function loadOfMain({ sweep, knee, plan }: LoadReport): string {
  const value = knee?.value ?? (sweep ?? knee?.points ?? []).at(-1)?.value ?? 0
  return `${loadWords(plan, value)}${knee?.value == null ? ', the last load tried' : ', the knee'}`
}

const signs = { pass: ['good', '✓'], fail: ['bad', '✗'], undecided: ['warn', '–'] } as const

function probes({ probes: list = [] }: LoadReport): Html {
  if (list.length === 0) return html``
  const rows = list.map(({ probe, verdict, said }) => {
    const [tone, sign] = signs[verdict]
    return html`<li><span class="sign ${tone}">${sign}</span><strong>${probe}</strong> ${verdict}: ${said}</li>`
  })
  return html`<h2>The contract under load</h2><ul class="checks">${rows}</ul>`
}

const tones = { valid: 'good', suspect: 'warn', invalid: 'bad', interrupted: 'bad' } as const

function trust({ validity, throughput, stampLag }: LoadResult): Html {
  const { verdict, sendLatenessMs, clientLagMs, cpuPerShard, eventsPerRead } = validity
  const rows = [
    ['sent late', `p50 ${ms(sendLatenessMs.p50)} ms, p99 ${ms(sendLatenessMs.p99)} ms`],
    ['the client’s own lag', `p99 ${ms(clientLagMs.p99)} ms`],
    ['CPU of its threads', cpuPerShard.map((cpu) => `${Math.round(cpu * 100)} %`).join(', ')],
    ['events per read', eventsPerRead.toFixed(2)],
    ['tokens counted by', throughput.tokenSource === 'events' ? 'content events' : throughput.tokenSource],
    ...(stampLag === undefined
      ? []
      : [['error against the server’s stamps', `p50 ${ms(stampLag.p50)} ms, p99 ${ms(stampLag.p99)} ms`]]),
  ]
  return html`<h2>How far to trust it</h2><p>The measurement is <strong class="${tones[verdict]}">${verdict}</strong>.</p>
<dl class="pair">${rows.map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl>`
}
