import type { ComparedMetric } from '../../load/compare.ts'
import { wrap } from '../wrap.ts'
import type { ComparedCheck } from './compare.ts'

type Compared =
  | {
      readonly kind: 'load'
      readonly metrics: readonly ComparedMetric[]
      /** Shares of requests that ended badly. */
      readonly bad: readonly [before: number, after: number]
      readonly cautions: readonly string[]
    }
  | { readonly kind: 'conformance'; readonly checks: readonly ComparedCheck[] }

/** Two runs side by side, for a terminal. */
export function renderCompare(compared: Compared, regressions: number): string {
  const worse = regressions > 0 ? `${regressions} got worse` : undefined
  if (compared.kind === 'conformance') return `${checkTable(compared.checks)}\n\n${worse ?? 'Nothing got worse'}`
  const { metrics, bad, cautions } = compared
  const undecided = metrics.filter(({ verdict }) => verdict === 'undecided').length
  const unknown = undecided === 0 ? 'Nothing got worse' : 'Nothing is known to have got worse'
  const rest = undecided === 0 ? '' : `; ${undecided} of ${metrics.length} not decided`
  return [
    ...(cautions.length === 0 ? [] : [cautions.map((one) => wrap(`! ${one}`)).join('\n')]),
    metricTable(metrics, bad),
    metrics.length === 0 ? 'Nothing was compared' : `${worse ?? unknown}${rest}`,
  ].join('\n\n')
}

const widths = [9, 9, 9, 17, 12]

function metricTable(metrics: readonly ComparedMetric[], [was, is]: readonly [number, number]): string {
  const share = (value: number): string => `${(value * 100).toFixed(2)} %`
  const bad = `ended badly ${share(was)} before, ${share(is)} after`
  if (metrics.length === 0) return `Too few requests to compare: each run needs 20 complete replies.\n${bad}`
  const row = (name: string, cells: readonly string[]): string =>
    name.padEnd(11) + cells.map((cell, at) => cell.padStart(widths[at] ?? 0)).join('')
  const rows = metrics.flatMap(({ metric, percentile, before, after, ratio, verdict, reason }) => {
    const range = ratio === null ? '–' : `${ratio.low.toFixed(3)} to ${ratio.high.toFixed(3)}`
    const shown = before === 0 ? '–' : (after / before).toFixed(3)
    const cells = [before.toFixed(2), after.toFixed(2), shown, range, verdict]
    return [row(`${metric} ${percentile}`, cells), ...(reason === undefined ? [] : [wrap(`    ${reason}`, '    ')])]
  })
  return [row('ms', ['before', 'after', 'ratio', '95 % confidence', 'verdict']), ...rows, bad].join('\n')
}

function checkTable(checks: readonly ComparedCheck[]): string {
  if (checks.length === 0) return 'Every check has the same result in both runs.'
  return checks
    .map(({ id, level, before, after, kind, values }) =>
      values === undefined
        ? `${kind.padEnd(20)}${level.padEnd(8)}${id}: ${before} → ${after}`
        : `${kind.padEnd(20)}${level.padEnd(8)}${id}: ${values[0]} → ${values[1]}`,
    )
    .join('\n')
}
