import { type Html, html } from './html.ts'

interface Series {
  readonly name: string
  readonly points: readonly (readonly [number, number])[]
}

export interface Chart {
  readonly title: string
  readonly x: string
  readonly y: string
  readonly series: readonly Series[]
  /** A logarithmic x axis, for percentile curves. */
  readonly logX?: boolean
  /** Labels on the x axis instead of numbers. */
  readonly ticksX?: readonly (readonly [number, string])[]
  /** A place on the x axis to point out. */
  readonly markX?: { readonly at: number; readonly label: string }
}

const size = { width: 640, height: 240, left: 64, right: 16, top: 28, bottom: 40 }
const seriesMax = 4

/** A line chart as inline SVG: no script, no request. It is described in words too, and its numbers are in a table. */
export function renderChart(chart: Chart): Html {
  const series = chart.series.filter(({ points }) => points.length > 0).slice(0, seriesMax)
  if (series.length === 0) return html``
  const all = series.flatMap(({ points }) => points)
  const scaleX = chart.logX === true ? Math.log10 : (value: number) => value
  const [minX, maxX] = rangeOf(all.map(([x]) => scaleX(x)))
  const maxY = niceAbove(Math.max(...all.map(([, y]) => y)))
  const placeX = (x: number): number =>
    size.left + ((scaleX(x) - minX) / (maxX - minX || 1)) * (size.width - size.left - size.right)
  const placeY = (y: number): number => size.height - size.bottom - (y / maxY) * (size.height - size.top - size.bottom)
  const lines = series.map(
    ({ points }, index) =>
      html`<polyline class="line s${index}" points="${points.map(([x, y]) => `${placeX(x).toFixed(1)},${placeY(y).toFixed(1)}`).join(' ')}"/>`,
  )
  const dots = series.flatMap(({ points, name }, index) =>
    points.length > 60
      ? []
      : points.map(
          ([x, y]) =>
            html`<circle class="dot s${index}" cx="${placeX(x).toFixed(1)}" cy="${placeY(y).toFixed(1)}" r="3"><title>${name}: ${brief(y)} at ${brief(x)}</title></circle>`,
        ),
  )
  const ticksY = [0, 0.25, 0.5, 0.75, 1].map((part) => {
    const y = placeY(maxY * part)
    return html`<line class="grid" x1="${size.left}" x2="${size.width - size.right}" y1="${y}" y2="${y}"/><text x="${size.left - 8}" y="${y + 4}" text-anchor="end">${brief(maxY * part)}</text>`
  })
  const places = chart.ticksX ?? evenTicks(all.map(([x]) => x))
  const ticksX = places.map(
    ([x, label]) =>
      html`<text x="${placeX(x).toFixed(1)}" y="${size.height - size.bottom + 18}" text-anchor="middle">${label}</text>`,
  )
  const { markX } = chart
  const mark =
    markX === undefined
      ? html``
      : html`<line class="mark" x1="${placeX(markX.at)}" x2="${placeX(markX.at)}" y1="${size.top}" y2="${size.height - size.bottom}"/><text x="${placeX(markX.at) + 4}" y="${size.top + 10}">${markX.label}</text>`
  const words = `${chart.title}. ${series.map(({ name, points }) => `${name}: from ${brief(points[0]?.[1] ?? 0)} to ${brief(points.at(-1)?.[1] ?? 0)}`).join('; ')}.`
  return html`<figure><figcaption>${chart.title}</figcaption>
<svg viewBox="0 0 ${size.width} ${size.height}" role="img" aria-label="${words}">${ticksY}${ticksX}${mark}${lines}${dots}
<text class="axis" x="${size.width - size.right}" y="${size.height - 4}" text-anchor="end">${chart.x}</text><text class="axis" x="4" y="14">${chart.y}</text></svg>
<ul class="legend">${series.map(({ name }, index) => html`<li class="s${index}">${name}</li>`)}</ul></figure>`
}

/** The style of charts, light and dark. */
export const chartStyle = `
figure{margin:0 0 2rem}figcaption{font-weight:600;margin-bottom:.5rem}
svg{width:100%;height:auto;max-width:48rem}svg text{font:11px system-ui,sans-serif;fill:var(--dim)}
.grid{stroke:var(--line)}.mark{stroke:var(--bad);stroke-dasharray:4 3}.line{fill:none;stroke-width:2}
.s0{--c:var(--s0)}.s1{--c:var(--s1)}.s2{--c:var(--s2)}.s3{--c:var(--s3)}
.line{stroke:var(--c)}.dot{fill:var(--c)}
.legend{list-style:none;display:flex;flex-wrap:wrap;gap:1rem;padding:0;margin:.25rem 0}
.legend li::before{content:"";display:inline-block;width:.8em;height:.8em;margin-right:.4em;background:var(--c);border-radius:2px}
`

function rangeOf(values: readonly number[]): readonly [number, number] {
  return [Math.min(...values), Math.max(...values)]
}

/** The next of 1, 2, 5 times a power of ten. */
function niceAbove(value: number): number {
  if (!(value > 0)) return 1
  const power = 10 ** Math.floor(Math.log10(value))
  return ([1, 2, 5, 10].find((step) => step * power >= value) ?? 10) * power
}

function evenTicks(values: readonly number[]): readonly (readonly [number, string])[] {
  const [from, to] = rangeOf(values)
  return [0, 0.25, 0.5, 0.75, 1].map((part) => from + (to - from) * part).map((x) => [x, brief(x)] as const)
}

function brief(value: number): string {
  return String(Number(value.toPrecision(3)))
}
