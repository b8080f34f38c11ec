import { countOf } from '../../count.ts'
import type { Added, SweepPoint } from '../../load/experiments.ts'
import { meaning, outcomes } from '../../load/figures/outcome.ts'
import { type LoadResult, wasInterrupted } from '../../load/figures/result.ts'
import type { Knee } from '../../load/knee.ts'
import type { ProbeResult } from '../../load/probes.ts'
import { loadWords } from '../../load/schedule/load-words.ts'
import { createPaint, type Paint } from '../paint.ts'
import { wrap } from '../wrap.ts'
import { headlineFigures } from './headline-figures.ts'
import { latencyTable } from './latency-table.ts'
import { ms } from './milliseconds.ts'
import { badOf, type LoadReport, loadsOf, triedWords } from './report.ts'

/** A load run for people: how requests ended, what was measured, and how far to trust it. */
export function renderLoadTerminal(
  report: LoadReport,
  options: { readonly color: boolean; readonly quiet: boolean },
): string {
  const paint = createPaint(options.color)
  const { result } = report.main
  if (options.quiet) return verdictLine(report, paint)
  const points = report.sweep ?? report.knee?.points ?? []
  const parts = [
    ...(wasInterrupted(result) ? [paint.bad(report.gate.reason)] : []),
    paint.strong(wrap(triedWords(report.plan, loadsOf(points)))),
    series(report),
    ...(points.length > 0 ? [paint.strong(`at ${loadOfMain(report)}`)] : []),
    headlineFigures(report, paint),
    endings(result, paint),
    latencyTable(report, paint),
    throughputLine(result),
    report.baseline === undefined ? '' : addedTable(report.baseline.added, report.baseline.pairs),
    probeLines(report.probes ?? [], paint),
    trust(result, paint),
    verdictLine(report, paint),
  ]
  return parts.filter((part) => part !== '').join('\n\n')
}

function endings(result: LoadResult, paint: Paint): string {
  const rows = outcomes
    .filter((outcome) => outcome === 'ok' || result.outcomes[outcome] > 0)
    .map((outcome) => {
      const count = result.outcomes[outcome]
      const share = result.outcomes.sent === 0 ? 0 : (count / result.outcomes.sent) * 100
      const figures = `${String(count).padStart(7)} ${share.toFixed(2).padStart(7)} %`
      const line = wrap(`  ${outcome.padEnd(19)}${figures}  ${meaning[outcome]}`, ' '.repeat(40))
      const reasons = (result.reasons[outcome] ?? []).map(
        (reason) => `\n${paint.dim(`      ${reason.replace(/\s+/g, ' ').slice(0, 73)}`)}`,
      )
      return `${outcome === 'ok' || outcome === 'abortedByUs' ? line : paint.bad(line)}${reasons.join('')}`
    })
  return [`${countOf(result.outcomes.sent, 'request')} sent, ${badOf(result)} ended badly`, ...rows].join('\n')
}

function throughputLine({ throughput }: LoadResult): string {
  const { requestsPerS, eventsPerS, tokensPerS, tokenSource } = throughput
  const source = tokenSource === 'events' ? 'content events counted as tokens' : `tokens from ${tokenSource}`
  return wrap(
    `${requestsPerS.toFixed(2)} requests/s, ${perS(eventsPerS)} events/s, ${perS(tokensPerS)} tokens/s (${source})`,
  )
}

/** A slow target is not said to send nothing. */
function perS(rate: number): string {
  return rate > 0 && rate < 10 ? rate.toFixed(2) : rate.toFixed(0)
}

/** Every load that was tried; the figures of one of them follow. */
function series({ sweep, knee, plan }: LoadReport): string {
  const variable = plan.arrivals.kind === 'closed' ? 'connections' : 'rate'
  if (knee !== undefined) return `${sweepTable('loads tried', knee.points, variable)}\n${kneeLine(knee, plan)}`
  return sweep === undefined ? '' : sweepTable('sweep', sweep, variable)
}

/** The load whose figures are shown: that of the knee, or else the last one. */
function loadOfMain({ sweep, knee, plan }: LoadReport): string {
  const value = knee?.value ?? (sweep ?? knee?.points ?? []).at(-1)?.value ?? 0
  return `${loadWords(plan, value)}${knee?.value == null ? ', the last load tried' : ''}`
}

function kneeLine({ value, undecided }: Knee, plan: LoadReport['plan']): string {
  if (value !== null) return `the knee is at ${loadWords(plan, value)}`
  return undecided === undefined ? 'no load that was tried meets the objectives' : wrap(`not decided: ${undecided}`)
}

const columns = { 'requests/s': 11, 'tokens/s': 9, 'ttft p50': 9, 'ttft p95': 9, 'gap p99': 9, bad: 7, objectives: 12 }

function sweepTable(title: string, points: readonly SweepPoint[], variable: string): string {
  const head = Object.entries(columns).map(([name, width]) => name.padStart(width))
  return [title, `  ${variable.padEnd(11)}${head.join('')}`, ...points.map(pointRow)].join('\n')
}

function pointRow({ value, result }: SweepPoint): string {
  const { throughput, metrics, slo, validity } = result
  const met = slo.length === 0 ? '–' : slo.every(({ pass }) => pass) ? 'met' : 'missed'
  const widths = Object.values(columns)
  const cells = [
    throughput.requestsPerS.toFixed(2),
    throughput.tokensPerS.toFixed(0),
    ms(metrics.ttft.response.p50),
    ms(metrics.ttft.response.p95),
    ms(metrics.gap.service.p99),
    String(badOf(result)),
    validity.verdict === 'invalid' || validity.verdict === 'interrupted' ? validity.verdict : met,
  ]
  return `  ${String(Math.round(value * 100) / 100).padEnd(11)}${cells.map((one, at) => one.padStart(widths[at] ?? 0)).join('')}`
}

function addedTable(added: readonly Added[], pairs: number): string {
  const head = `  ${'ms'.padEnd(12)}${['direct', 'through', 'added', '95 % confidence'].map((one) => one.padStart(16)).join('')}`
  const rows = added
    .filter(({ direct, through }) => !Number.isNaN(direct) && !Number.isNaN(through))
    .map(({ metric, percentile, direct, through, added: more, interval }) => {
      const range = interval === null ? '–' : `${ms(interval.low)} to ${ms(interval.high)}`
      return `  ${`${metric} ${percentile}`.padEnd(12)}${[ms(direct), ms(through), ms(more), range].map((one) => one.padStart(16)).join('')}`
    })
  if (rows.length === 0)
    return wrap('what the gateway adds is not known: no pair of runs has complete replies on both sides')
  return [`what the gateway adds, from ${pairs} interleaved pairs of runs`, head, ...rows].join('\n')
}

function probeLines(probes: readonly ProbeResult[], paint: Paint): string {
  return probes
    .map(({ probe, verdict, said, counts = {} }) => {
      const mark = verdict === 'pass' ? paint.good('✓') : verdict === 'fail' ? paint.bad('✗') : paint.warn('–')
      const rows = Object.entries(counts).map(([what, count]) => `\n    ${what.padEnd(36)}${String(count).padStart(8)}`)
      return `${mark} ${probe} under load: ${said}${rows.join('')}`
    })
    .join('\n')
}

function trust({ validity, stampLag }: LoadResult, paint: Paint): string {
  const { verdict, reasons, sendLatenessMs, clientLagMs, cpuPerShard, eventsPerRead, askedPerS, achievedPerS } =
    validity
  const asked = askedPerS === null ? '' : `, ${achievedPerS.toFixed(2)} of ${askedPerS.toFixed(2)} requests/s sent`
  const own = [
    `sent ${ms(sendLatenessMs.p50)} ms late (p99 ${ms(sendLatenessMs.p99)} ms)`,
    `client lag p99 ${ms(clientLagMs.p99)} ms`,
    `CPU ${cpuPerShard.map((cpu) => `${Math.round(cpu * 100)} %`).join(' ')}`,
    `${eventsPerRead.toFixed(2)} events per read${asked}`,
    ...(stampLag === undefined
      ? []
      : [
          `error against the server's stamps p50 ${ms(stampLag.p50)}, p95 ${ms(stampLag.p95)}, p99 ${ms(stampLag.p99)} ms`,
        ]),
  ].join('; ')
  const shown =
    verdict === 'valid' ? paint.good(verdict) : verdict === 'suspect' ? paint.warn(verdict) : paint.bad(verdict)
  return [
    `the measurement is ${shown}`,
    ...reasons.map((reason) => wrap(`  ${reason}`, '    ')),
    wrap(`  ${own}`, '  '),
  ].join('\n')
}

function verdictLine({ gate, target, plan }: LoadReport, paint: Paint): string {
  const shown = gate.exitCode === 0 ? paint.good(gate.reason) : paint.bad(gate.reason)
  return `${shown}\n${paint.dim(`${target.baseUrl}${target.apiPath}, model ${target.model}, seed ${plan.seed}`)}`
}
