import type { ComparedMetric } from '../../load/compare.ts'
import { type Html, html } from '../html.ts'
import { renderPage } from '../page.ts'
import type { ComparedCheck } from './compare.ts'

export type Compared =
  | { readonly kind: 'load'; readonly metrics: readonly ComparedMetric[] }
  | { readonly kind: 'conformance'; readonly checks: readonly ComparedCheck[] }

const tone: Readonly<Record<string, string>> = {
  worse: 'bad',
  regression: 'bad',
  better: 'good',
  mended: 'good',
  undecided: 'warn',
  changed: 'warn',
}

/** Two runs side by side, as a page. */
export function renderCompareHtml(compared: Compared): string {
  const body = html`<h1>Two runs compared</h1>${compared.kind === 'load' ? metricRows(compared.metrics) : checkRows(compared.checks)}`
  return renderPage({ title: 'Two runs compared', style: '', body })
}

function metricRows(metrics: readonly ComparedMetric[]): Html {
  const rows = metrics.map(
    ({ metric, percentile, before, after, ratio, verdict }) =>
      html`<tr><td>${metric} ${percentile}</td><td>${before.toFixed(2)}</td><td>${after.toFixed(2)}</td><td>${ratio === null ? '–' : `${ratio.low.toFixed(3)} to ${ratio.high.toFixed(3)}`}</td><td class="${tone[verdict] ?? ''}">${verdict}</td></tr>`,
  )
  return table(['ms', 'before', 'after', 'ratio, 95 % confidence', 'verdict'], rows)
}

function checkRows(checks: readonly ComparedCheck[]): Html {
  if (checks.length === 0) return html`<p>Both runs agree on every check.</p>`
  const rows = checks.map(
    ({ id, level, before, after, kind, values }) =>
      html`<tr><td><code>${id}</code></td><td>${level}</td><td>${values?.[0] ?? before}</td><td>${values?.[1] ?? after}</td><td class="${tone[kind] ?? ''}">${kind}</td></tr>`,
  )
  return table(['check', 'level', 'before', 'after', 'what changed'], rows)
}

function table(head: readonly string[], rows: readonly Html[]): Html {
  return html`<div class="scroll" tabindex="0" role="region" aria-label="comparison"><table><thead><tr>${head.map((one) => html`<th scope="col">${one}</th>`)}</tr></thead><tbody>${rows}</tbody></table></div>`
}
