import { type Html, html } from '../../../markup/html.ts'
import type { RecordedExchange } from '../../../wire/recorded-exchange.ts'

const size = { width: 720, height: 56 }
const barsMax = 400
/** With fewer pieces there is nothing to see. */
const piecesMin = 3

/** When the bytes of an answer came: a bar for each piece, as high as the piece is large; those of the failure in red. */
export function strip({ arrivals, endedAtMs, answer }: RecordedExchange, marked: readonly number[]): Html {
  if (arrivals.length < piecesMin) return html``
  const most = Math.max(...arrivals.map(([, bytes]) => bytes))
  const base = size.height - 1
  const place = (ms: number): string => ((ms / Math.max(endedAtMs, 1)) * (size.width - 4)).toFixed(1)
  const bars = arrivals.slice(0, barsMax).map(([atMs, bytes], index) => {
    const tall = Math.max(3, (bytes / most) * (base - 4))
    return html`<rect${marked.includes(index) && html` class="place"`} x="${place(atMs)}" y="${(base - tall).toFixed(1)}" width="3" height="${tall.toFixed(1)}"><title>${bytes} B at ${atMs} ms</title></rect>`
  })
  const total = arrivals.reduce((sum, [, bytes]) => sum + bytes, 0) + (answer?.omitted?.bytes ?? 0)
  const words = `${total} bytes in ${arrivals.length} pieces, from ${arrivals[0]?.[0]} to ${arrivals.at(-1)?.[0]} ms; head after ${answer?.headMs} ms; the end after ${endedAtMs} ms`
  const head =
    answer !== undefined &&
    html`<line class="head" x1="${place(answer.headMs)}" x2="${place(answer.headMs)}" y1="0" y2="${base}"/>`
  return html`<svg class="strip" viewBox="0 0 ${size.width} ${size.height}" preserveAspectRatio="none" role="img" aria-label="${words}"><line x1="0" x2="${size.width}" y1="${base}" y2="${base}"/>${head}${bars}</svg>
<p class="ends"><span>0 ms</span><span>${endedAtMs} ms</span></p>`
}
