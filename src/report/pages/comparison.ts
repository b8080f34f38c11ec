import { countOf } from '../../count.ts'
import { at, isRecord, listAt, numberAt, parseJson, textAt } from '../../json.ts'
import type { ComparedMetric } from '../../load/compare.ts'
import { metrics } from '../../load/figures/metrics.ts'
import { type Html, html } from '../../markup/html.ts'
import { numbers, table } from '../../markup/table.ts'
import type { ComparedCheck } from '../compare/compare.ts'
import { ms } from '../load/milliseconds.ts'
import { banner, folded, renderPage, timeOf } from './parts/page.ts'
import { proportion, type Share } from './parts/proportion.ts'
import { shownValue } from './parts/values.ts'

export type Compared =
  | {
      readonly kind: 'load'
      readonly metrics: readonly ComparedMetric[]
      /** Why the runs may differ although the gateway does not. */
      readonly cautions: readonly string[]
    }
  | { readonly kind: 'conformance'; readonly checks: readonly ComparedCheck[] }

/** Two runs of one kind side by side: what changed, each in a sentence, and by how much. */
export function renderComparisonPage(before: unknown, after: unknown, compared: Compared): string {
  const { words, tone, shares } =
    compared.kind === 'load' ? summaryOfLoad(compared.metrics) : summaryOfChecks(compared.checks)
  const [one, other] = [addressOf(before), addressOf(after)]
  const head = {
    kind: compared.kind === 'load' ? 'two load runs' : 'two conformance runs',
    subject: one === other ? one : `${one} and ${other}`,
    verdict: { tone, words },
    facts: [
      ['before', runOf(before)],
      ['after', runOf(after)],
    ],
  } as const
  return renderPage(
    head,
    html`${proportion(shares)}${compared.kind === 'load' ? html`${compared.cautions.map((one) => banner('warn', one))}${metricRows(compared.metrics)}` : checkGroups(compared.checks)}`,
  )
}

function addressOf(report: unknown): string {
  return `${textAt(report, 'target', 'baseUrl') ?? ''}${textAt(report, 'target', 'apiPath') ?? ''}`
}

function runOf(report: unknown): string {
  const validity = textAt(report, 'validity', 'verdict')
  const seconds = numberAt(report, 'plan', 'durationMs')
  const hasNoObjective = seconds !== undefined && listAt(report, 'plan', 'objectives').length === 0
  return [
    addressOf(report),
    textAt(report, 'target', 'model') ?? 'no model',
    timeOf(textAt(report, 'run', 'startedAt') ?? ''),
    ...(seconds === undefined ? [] : [`${seconds / 1000} s planned`]),
    ...(validity === undefined ? [] : [validity]),
    ...(at(report, 'gate') === undefined || hasNoObjective ? [] : [lowered(textAt(report, 'gate', 'reason') ?? '')]),
  ].join(', ')
}

function lowered(words: string): string {
  return words.slice(0, 1).toLowerCase() + words.slice(1)
}

interface Summary {
  readonly words: string
  readonly tone: 'good' | 'bad' | 'warn'
  readonly shares: readonly Share[]
}

function summaryOfLoad(list: readonly ComparedMetric[]): Summary {
  const count = (verdict: ComparedMetric['verdict']): number => list.filter((one) => one.verdict === verdict).length
  const worse = count('worse')
  const shares: readonly Share[] = [
    { name: 'slower', count: worse, fill: 'bad' },
    { name: 'faster', count: count('better'), fill: 'good' },
    { name: 'unchanged', count: count('same'), fill: 'dim' },
    { name: 'not decided', count: count('undecided'), fill: 'warn' },
  ]
  if (list.length === 0) return { words: 'Too few complete replies to compare', tone: 'warn', shares }
  if (worse > 0) return { words: `${countOf(worse, 'figure')} got slower`, tone: 'bad', shares }
  const open = count('undecided')
  if (open > 0)
    return { words: `Nothing is known to have got slower; ${open} of ${list.length} not decided`, tone: 'warn', shares }
  return { words: 'Nothing got slower', tone: 'good', shares }
}

const kinds = {
  regression: { title: 'Fails now', fill: 'bad' },
  mended: { title: 'Mended', fill: 'good' },
  changed: { title: 'Decided differently', fill: 'warn' },
  'observed-otherwise': { title: 'Observed differently, not judged', fill: 'seen' },
} as const

function summaryOfChecks(list: readonly ComparedCheck[]): Summary {
  const shares = Object.entries(kinds).map(([kind, { title, fill }]) => ({
    name: title.toLowerCase(),
    count: list.filter((one) => one.kind === kind).length,
    fill,
  }))
  const regressions = list.filter(({ kind }) => kind === 'regression').length
  if (regressions > 0)
    return {
      words: `${countOf(regressions, 'check')} fail now and did not before`.replace('1 check fail', '1 check fails'),
      tone: 'bad',
      shares,
    }
  return {
    words:
      list.length === 0 ? 'Every check has the same result in both runs' : 'Nothing fails that did not fail before',
    tone: 'good',
    shares,
  }
}

const order = ['worse', 'better', 'undecided', 'same'] as const

function metricRows(list: readonly ComparedMetric[]): Html {
  const ratios = list.flatMap(({ ratio }) => (ratio === null ? [] : [ratio.low, ratio.high]))
  const widest = Math.max(0.25, ...ratios.map((ratio) => Math.abs(Math.log2(ratio))))
  const reach = Math.min(3, widest)
  const rowsOf = (verdict: ComparedMetric['verdict']): Parameters<typeof table>[1] => {
    const own = list.filter((one) => one.verdict === verdict)
    // Metrics that do not differ share a row.
    const same = Map.groupBy(own, ({ percentile, before, after }) => `${percentile} ${ms(before)} ${ms(after)}`)
    return [...same.values()].flatMap((some) => (some[0] === undefined ? [] : [metricRow(some[0], some, reach)]))
  }
  const columns = ['Metric', 'what changed', 'after ÷ before', numbers('before, ms'), numbers('after, ms')]
  const unchanged = rowsOf('same')
  const rows = order.filter((verdict) => verdict !== 'same').flatMap(rowsOf)
  return html`${rows.length > 0 && table(columns, rows)}
${unchanged.length > 0 && folded(`${countOf(list.filter(({ verdict }) => verdict === 'same').length, 'figure')} unchanged`, table(columns, unchanged))}
<p class="dim">The line in the middle of a bar is no change: left of it is faster, right of it slower. The bar holds the true ratio with 95 % confidence.</p>`
}

function metricRow(
  one: ComparedMetric,
  same: readonly ComparedMetric[],
  reach: number,
): Parameters<typeof table>[1][number] {
  const names = same.map(({ metric }) => metric).join(' = ')
  return [
    html`<strong>${names} ${one.percentile}</strong><br><span class="dim">${metrics[same.at(-1)?.metric ?? one.metric].about}</span>`,
    sentenceOf(one),
    interval(one, reach),
    ms(one.before),
    ms(one.after),
  ]
}

/** One row in a sentence. */
function sentenceOf({ verdict, before, after, ratio, reason = 'not decided' }: ComparedMetric): string {
  const times =
    ratio === null
      ? ''
      : `${(after / before).toFixed(2)} times as long (${ratio.low.toFixed(2)} to ${ratio.high.toFixed(2)})`
  switch (verdict) {
    case 'worse':
      return `Slower: ${times}.`
    case 'better':
      return `Faster: ${times}.`
    case 'same':
      return before === after ? 'Unchanged.' : `Unchanged within the tolerance: ${times}.`
    case 'undecided':
      return `Not decided: ${reason}.`
  }
}

const toneOf = { worse: 'bad', better: 'good', same: 'dim', undecided: 'warn' } as const
const width = 200
const height = 20

/** The ratio and its interval on a logarithmic scale, so that twice as slow and twice as fast are equally far from no change. */
function interval({ ratio, before, after, verdict }: ComparedMetric, reach: number): Html {
  if (ratio === null) return html`–`
  const place = (value: number): number => {
    const log = Math.max(-reach, Math.min(reach, Math.log2(value)))
    return width / 2 + (log / reach) * (width / 2 - 6)
  }
  const words = `${ratio.low.toFixed(3)} to ${ratio.high.toFixed(3)}`
  const point = after / before
  return html`<svg class="interval c-${toneOf[verdict]}" viewBox="0 0 ${width} ${height}" role="img" aria-label="ratio ${words}"><line class="same" x1="${width / 2}" x2="${width / 2}" y1="0" y2="${height}"/><line class="range" x1="${place(ratio.low).toFixed(1)}" x2="${place(ratio.high).toFixed(1)}" y1="${height / 2}" y2="${height / 2}"/>${Number.isFinite(point) && html`<circle cx="${place(point).toFixed(1)}" cy="${height / 2}" r="4"/>`}</svg>`
}

/** How many rows of a kind are shown before they are folded. */
const rowsMax = 20

export function checkGroups(list: readonly ComparedCheck[]): Html {
  return html`${Object.entries(kinds).map(([kind, { title }]) => {
    const own = list.filter((one) => one.kind === kind)
    if (own.length === 0) return html``
    const rows = own.map(({ id, level, before, after, values }) => [
      html`<code>${id}</code>`,
      level,
      ...(values === undefined ? [before, after] : changedIn(values).map((value) => shownValue(value))),
    ])
    const shown = table(['Check', 'level', 'before', 'after'], rows)
    return html`<h2>${title}</h2>${own.length > rowsMax || kind === 'observed-otherwise' ? folded(countOf(own.length, 'check'), shown) : shown}`
  })}`
}

/** Of two observations what differs: of two records only the fields whose values do. */
function changedIn([one, other]: readonly [string, string]): readonly [unknown, unknown] {
  const [before, after] = [parseJson(one), parseJson(other)]
  if (!isRecord(before) || !isRecord(after)) return [before, after]
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  const changed = names.filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]))
  const part = (record: Readonly<Record<string, unknown>>): unknown =>
    Object.fromEntries(changed.filter((name) => name in record).map((name) => [name, record[name]]))
  return [part(before), part(after)]
}
