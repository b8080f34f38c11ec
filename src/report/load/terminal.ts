import type { Added, Knee, SweepPoint } from '../../load/experiments.ts'
import type { Stats } from '../../load/figures/histogram.ts'
import { metricNames } from '../../load/figures/metrics.ts'
import { meaning, outcomes } from '../../load/figures/outcome.ts'
import { type LoadResult, wasInterrupted } from '../../load/figures/result.ts'
import type { ProbeResult } from '../../load/probes.ts'
import { createPaint, type Paint } from '../paint.ts'
import { badOf, type LoadReport, wordsOf } from './report.ts'

/** A load run for people: how requests ended, what was measured, and how far to trust it. */
export function renderLoadTerminal(
  report: LoadReport,
  options: { readonly color: boolean; readonly quiet: boolean },
): string {
  const paint = createPaint(options.color)
  const { result } = report.main
  if (options.quiet) return verdictLine(report, paint)
  const parts = [
    ...(wasInterrupted(result) ? [paint.bad(report.gate.reason)] : []),
    paint.strong(wordsOf(report.plan)),
    endings(result, paint),
    latencies(report, paint),
    figures(result),
    report.sweep === undefined
      ? ''
      : sweepTable(report.sweep, report.plan.arrivals.kind === 'closed' ? 'connections' : 'rate'),
    report.knee === undefined ? '' : kneeLines(report.knee, report),
    report.baseline === undefined ? '' : addedTable(report.baseline.added, report.baseline.pairs),
    probeLines(report.probes ?? [], paint),
    gates(result, paint),
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
      const line = `  ${outcome.padEnd(20)}${String(count).padStart(8)} ${share.toFixed(2).padStart(7)} %  ${meaning[outcome]}`
      const reasons = (result.reasons[outcome] ?? []).map(
        (reason) => `\n${paint.dim(`      ${reason.replace(/\s+/g, ' ').slice(0, 160)}`)}`,
      )
      return `${outcome === 'ok' || outcome === 'abortedByUs' ? line : paint.bad(line)}${reasons.join('')}`
    })
  return [`${result.outcomes.sent} requests sent, ${badOf(result)} ended badly`, ...rows].join('\n')
}

function latencies({ main, plan }: LoadReport, paint: Paint): string {
  const { metrics } = main.result
  const open = plan.arrivals.kind !== 'closed'
  const head = `  ${'ms'.padEnd(16)}${['count', 'mean', 'p50', 'p90', 'p95', 'p99', 'p99.9', 'max'].map((one) => one.padStart(10)).join('')}`
  const rows = metricNames.flatMap((name) => {
    const { service, response } = metrics[name]
    if (service.count === 0) return []
    // In a closed loop requests are due when they are sent, apart from the wait for a connection.
    if (!open || service === response || !['ttfb', 'ttfc', 'ttft', 'e2e'].includes(name))
      return [statsRow(name, service, paint)]
    return [statsRow(`${name} from send`, service, paint), statsRow(`${name} from due`, response, paint)]
  })
  if (rows.length === 0) return ''
  const warmup = plan.warmupMs > 0 ? `, without the first ${plan.warmupMs / 1000} s` : ''
  const runs = main.runs.length > 1 ? `; the median of ${main.runs.length} runs` : ''
  const note = rows.some((row) => row.includes('~'))
    ? [paint.dim('  ~ fewer than five values lie beyond this one: do not rely on it')]
    : []
  return [`latencies of complete replies${warmup}${runs}`, head, ...rows, ...confidence(main), ...note].join('\n')
}

function statsRow(name: string, stats: Stats, paint: Paint): string {
  const cells = (['p50', 'p90', 'p95', 'p99', 'p999'] as const).map((one) => {
    const text = `${stats.unreliable.includes(one) ? '~' : ''}${ms(stats[one])}`.padStart(10)
    return stats.unreliable.includes(one) ? paint.dim(text) : text
  })
  return `  ${name.padEnd(16)}${String(stats.count).padStart(10)}${ms(stats.mean).padStart(10)}${cells.join('')}${ms(stats.max).padStart(10)}`
}

function confidence(main: LoadReport['main']): readonly string[] {
  return (['ttft', 'e2e'] as const).flatMap((name) => {
    const found = main.confidence[name]
    if (found === undefined) return []
    const { p50, p95 } = found
    return [`  95 % confidence: ${name} p50 ${ms(p50.low)} to ${ms(p50.high)}, p95 ${ms(p95.low)} to ${ms(p95.high)}`]
  })
}

function figures({ throughput, goodput, slo }: LoadResult): string {
  const { requestsPerS, eventsPerS, tokensPerS, tokenSource } = throughput
  const source = tokenSource === 'events' ? 'content events counted as tokens' : `tokens from ${tokenSource}`
  const good =
    slo.length === 0
      ? ''
      : `; goodput ${goodput.requestsPerS.toFixed(2)}/s, ${(goodput.share * 100).toFixed(1)} % of what was sent`
  return `${requestsPerS.toFixed(2)} requests/s, ${eventsPerS.toFixed(0)} events/s, ${tokensPerS.toFixed(0)} tokens/s (${source})${good}`
}

function sweepTable(points: readonly SweepPoint[], variable: string): string {
  const head = `  ${variable.padEnd(12)}${['requests/s', 'tokens/s', 'ttft p50', 'ttft p95', 'gap p99', 'bad', 'objectives'].map((one) => one.padStart(12)).join('')}`
  return ['sweep', head, ...points.map(pointRow)].join('\n')
}

function pointRow({ value, result }: SweepPoint): string {
  const { throughput, metrics, slo, validity } = result
  const met = slo.length === 0 ? '–' : slo.every(({ pass }) => pass) ? 'met' : 'missed'
  const cells = [
    throughput.requestsPerS.toFixed(2),
    throughput.tokensPerS.toFixed(0),
    ms(metrics.ttft.response.p50),
    ms(metrics.ttft.response.p95),
    ms(metrics.gap.service.p99),
    String(badOf(result)),
    validity.verdict === 'invalid' || validity.verdict === 'interrupted' ? validity.verdict : met,
  ]
  return `  ${String(Math.round(value * 100) / 100).padEnd(12)}${cells.map((one) => one.padStart(12)).join('')}`
}

function kneeLines({ value, points }: Knee, { plan }: LoadReport): string {
  const unit = plan.arrivals.kind === 'closed' ? 'connections' : 'requests per second'
  const found =
    value === null
      ? 'no load that was tried meets the objectives'
      : `the knee is at ${Math.round(value * 100) / 100} ${unit}`
  return `${sweepTable(points, plan.arrivals.kind === 'closed' ? 'connections' : 'rate')}\n${found}`
}

function addedTable(added: readonly Added[], pairs: number): string {
  const head = `  ${'ms'.padEnd(12)}${['direct', 'through', 'added', '95 % confidence'].map((one) => one.padStart(16)).join('')}`
  const rows = added
    .filter(({ direct, through }) => !Number.isNaN(direct) && !Number.isNaN(through))
    .map(({ metric, percentile, direct, through, added: more, interval }) => {
      const range = interval === null ? '–' : `${ms(interval.low)} to ${ms(interval.high)}`
      return `  ${`${metric} ${percentile}`.padEnd(12)}${[ms(direct), ms(through), ms(more), range].map((one) => one.padStart(16)).join('')}`
    })
  return [`what the gateway adds, from ${pairs} interleaved pairs of runs`, head, ...rows].join('\n')
}

function probeLines(probes: readonly ProbeResult[], paint: Paint): string {
  return probes
    .map(({ probe, verdict, said }) => {
      const mark = verdict === 'pass' ? paint.good('✓') : verdict === 'fail' ? paint.bad('✗') : paint.warn('–')
      return `${mark} ${probe} under load: ${said}`
    })
    .join('\n')
}

function gates({ slo }: LoadResult, paint: Paint): string {
  return slo
    .map(({ expression, value, pass, unreliable }) => {
      const measured = value === null ? 'nothing was measured' : `measured ${Math.round(value * 1000) / 1000}`
      const note = unreliable === true ? ', too few requests to rely on' : ''
      return `${pass ? paint.good('✓') : paint.bad('✗')} ${expression}: ${measured}${note}`
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
  return [`the measurement is ${shown}: ${own}`, ...reasons.map((reason) => `  ${reason}`)].join('\n')
}

function verdictLine({ gate, target, plan }: LoadReport, paint: Paint): string {
  const shown = gate.exitCode === 0 ? paint.good(gate.reason) : paint.bad(gate.reason)
  return `${shown} | ${target.baseUrl}${target.apiPath}, model ${target.model}, seed ${plan.seed}`
}

function ms(value: number): string {
  if (Number.isNaN(value)) return '–'
  return value >= 1000 ? value.toFixed(0) : value >= 100 ? value.toFixed(1) : value.toFixed(2)
}
