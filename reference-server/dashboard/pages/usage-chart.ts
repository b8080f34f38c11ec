import { type Html, html } from '../../../src/markup/html.ts'
import { numbers } from '../../../src/markup/table.ts'
import { dollars } from '../figures.ts'
import { dataTable } from './layout.ts'

/** One bar per day, the oldest first; days without use cost nothing. */
export interface DayCost {
  /** As `2026-11-21`. */
  readonly day: string
  readonly usd: bigint
}

const WIDTH = 640
const HEIGHT = 160
const SHARES_MAX = 10

/** What one model or key cost, among others. */
export interface Share {
  readonly name: string
  readonly usd: bigint
}

/** A bar for each of the ten most expensive, in a table that gives the figures too. */
export function costShares(label: string, shares: readonly Share[]): Html {
  const total = shares.reduce((sum, { usd }) => sum + usd, 0n)
  const rows = shares
    .toSorted((one, other) => Number(other.usd - one.usd))
    .slice(0, SHARES_MAX)
    .map(({ name, usd }) => {
      const percent = total === 0n ? 0 : Number((usd * 1000n) / total) / 10
      const bar = html`<progress value="${percent}" max="100" aria-label="${name}: ${percent} % of the cost"></progress>`
      return [name, bar, `$${dollars(usd)}`]
    })
  return dataTable(label, [label, 'Share', numbers('Cost')], rows)
}

/** Bars drawn by the server, which need no script. The caption says the main figures in words. */
export function costChart(days: readonly DayCost[]): Html {
  const most = days.reduce((top, { usd }) => (usd > top ? usd : top), 0n)
  const step = WIDTH / Math.max(1, days.length)
  const bars = days.map(({ day, usd }, at) => {
    const tall = Number((usd * BigInt(HEIGHT * 100)) / (most === 0n ? 1n : most)) / 100
    return html`<rect x="${(at * step + 1).toFixed(1)}" y="${(HEIGHT - tall).toFixed(1)}" width="${Math.max(1, step - 2).toFixed(1)}" height="${tall.toFixed(1)}"><title>${day}: $${dollars(usd)}</title></rect>`
  })
  const total = days.reduce((sum, { usd }) => sum + usd, 0n)
  const words = `Cost per day from ${days[0]?.day} to ${days.at(-1)?.day}: $${dollars(total)} in all, at most $${dollars(most)}`
  return html`<figure><svg class="chart" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${words}"><line x1="0" x2="${WIDTH}" y1="${HEIGHT}" y2="${HEIGHT}"/>${bars}</svg><figcaption>${words}</figcaption></figure>`
}
