import { dollars } from '../figures.ts'
import { html, type Markup } from '../html.ts'

/** One bar a day, the oldest first; days without use are there with nothing. */
export interface DayCost {
  /** As `2026-11-21`. */
  readonly day: string
  readonly usd: bigint
}

const WIDTH = 640
const HEIGHT = 160
const FOOT = 20

/** Bars drawn by the server: they need no script. The table below the picture says the same in words. */
export function costChart(days: readonly DayCost[]): Markup {
  const most = days.reduce((top, { usd }) => (usd > top ? usd : top), 1n)
  const step = WIDTH / Math.max(1, days.length)
  const bars = days.map(({ day, usd }, at) => {
    const tall = Number((usd * BigInt((HEIGHT - FOOT) * 100)) / most) / 100
    return html`<rect x="${(at * step + 1).toFixed(1)}" y="${(HEIGHT - FOOT - tall).toFixed(1)}" width="${Math.max(1, step - 2).toFixed(1)}" height="${tall.toFixed(1)}"><title>${day}: $${dollars(usd)}</title></rect>`
  })
  const total = days.reduce((sum, { usd }) => sum + usd, 0n)
  const words = `Cost a day, ${days[0]?.day} to ${days.at(-1)?.day}: $${dollars(total)} in all, at most $${dollars(most)} on one day`
  return html`<svg class="chart" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${words}"><line x1="0" x2="${WIDTH}" y1="${HEIGHT - FOOT}" y2="${HEIGHT - FOOT}"/>${bars}
<text x="0" y="${HEIGHT - 5}">${days[0]?.day}</text><text x="${WIDTH}" y="${HEIGHT - 5}" text-anchor="end">${days.at(-1)?.day}</text></svg>`
}
