import { type Html, html } from '../html.ts'
import type { Chart, Series } from './chart-data.ts'
import { type Frame, frameOf } from './frame.ts'
import { brief } from './scale.ts'

/** Once for a wide screen and once for a phone, whose letters would be too small in a picture that shrinks. */
const sizes = {
  wide: { width: 520, height: 250 },
  whole: { width: 1060, height: 280 },
  narrow: { width: 350, height: 230 },
} as const

/** A chart as inline SVG. It is described in words too, and names its values where the pointer is. */
export function renderChart(chart: Chart): Html {
  const series = chart.series.filter(({ points }) => points.length > 0)
  if (series.length === 0) return html``
  const own = { ...chart, series }
  const words = `${chart.title}. ${series.map(({ name, points }) => `${name}: from ${brief(points[0]?.[1] ?? 0)} to ${brief(points.at(-1)?.[1] ?? 0)}`).join('; ')}.`
  const whole = chart.isWhole === true
  return html`<figure${whole && html` class="whole"`}><figcaption>${chart.title} <span class="dim">${chart.y}</span></figcaption>
<div class="chart">${picture(own, 'wide', whole ? sizes.whole : sizes.wide, words)}${picture(own, 'narrow', sizes.narrow, words)}</div>
${series.length > 1 && html`<ul class="legend">${series.map((one, index) => html`<li><i class="swatch ${colorOf(one, index)}"></i>${one.name}</li>`)}</ul>`}
${chart.note !== undefined && html`<p class="dim">${chart.note}</p>`}</figure>`
}

function picture(
  chart: Chart,
  name: 'wide' | 'narrow',
  size: { readonly width: number; readonly height: number },
  words: string,
): Html {
  const frame = frameOf(chart, size)
  return html`<svg class="${name}" viewBox="0 0 ${size.width} ${size.height}" role="img" aria-label="${words}">${axes(chart, frame)}
${chart.form === 'columns' ? columns(chart, frame) : chart.series.map((one, index) => line(one, colorOf(one, index), frame))}
${marks(chart, frame)}${hits(chart, frame)}</svg>`
}

function axes(chart: Chart, { left, right, top, base, ticksX, ticksY, placeX, placeY }: Frame): Html {
  const rows = ticksY.map((y) => {
    const at = placeY(y).toFixed(1)
    return html`<line class="grid" x1="${left}" x2="${right}" y1="${at}" y2="${at}"/><text x="${left - 6}" y="${Number(at) + 4}" text-anchor="end">${brief(y)}</text>`
  })
  const places = ticksX.map(
    ([x, label]) => html`<text x="${placeX(x).toFixed(1)}" y="${base + 17}" text-anchor="middle">${label}</text>`,
  )
  return html`${rows}${places}<text x="${(left + right) / 2}" y="${base + 34}" text-anchor="middle">${chart.x}</text><line class="grid" x1="${left}" x2="${left}" y1="${top}" y2="${base}"/>`
}

function colorOf({ isBad }: Series, index: number): string {
  return isBad === true ? 'c-bad' : `s${index}`
}

const dotsMax = 40

function line({ points }: Series, color: string, { placeX, placeY }: Frame): Html {
  const places = points.map(([x, y]) => [placeX(x).toFixed(1), placeY(y).toFixed(1)] as const)
  return html`<polyline class="series ${color}" points="${places.map(([x, y]) => `${x},${y}`).join(' ')}"/>
${points.length <= dotsMax && places.map(([x, y]) => html`<circle class="dot ${color}" cx="${x}" cy="${y}" r="2.5"/>`)}`
}

function columns({ series }: Chart, { placeX, placeY, step }: Frame): Html {
  const heights = new Map<number, number>()
  const column = ([x, y]: readonly [number, number], color: string): Html => {
    const below = heights.get(x) ?? 0
    heights.set(x, below + y)
    const [from, to, top] = [placeX(x), placeX(x + step), placeY(below + y)]
    return html`<rect class="column ${color}" x="${(from + 0.5).toFixed(1)}" width="${Math.max(1, to - from - 1).toFixed(1)}" y="${top.toFixed(1)}" height="${(placeY(below) - top).toFixed(1)}"/>`
  }
  return html`${series.flatMap((one, index) => one.points.filter(([, y]) => y > 0).map((point) => column(point, colorOf(one, index))))}`
}

/** Of the labels, which are 12 pixels large, above their baseline. */
const letterHeight = 10
const lineHeight = 14

function marks({ bounds = [], marks: places = [] }: Chart, { left, right, top, base, placeX, placeY }: Frame): Html {
  // A mark at the right edge would run through a name there.
  const isAtEdge = places.some(({ at }) => placeX(at) > left + 0.75 * (right - left))
  const lines = bounds.map(({ at, label }) => {
    const y = placeY(at)
    // Above its line, unless the edge of the picture would cut it off.
    return { y, label, baseline: y - 4 < letterHeight ? y + 4 + letterHeight : y - 4 }
  })
  const across = lines.map(({ y, label, baseline }) => {
    return html`<line class="bound" x1="${left}" x2="${right}" y1="${y.toFixed(1)}" y2="${y.toFixed(1)}"/><text class="bound-name" x="${isAtEdge ? left + 5 : right}" y="${baseline.toFixed(1)}" text-anchor="${isAtEdge ? 'start' : 'end'}">${label}</text>`
  })
  const names = lines.map(({ baseline }) => baseline).filter((baseline) => baseline < top + 2 * lineHeight)
  const lowest = Math.max(top, ...names)
  const upright = places.map(({ at, label }, index) => {
    const x = placeX(at)
    const isRight = x > (left + right) / 2
    return html`<line class="knee" x1="${x.toFixed(1)}" x2="${x.toFixed(1)}" y1="${top}" y2="${base}"/><text class="knee-name" x="${(x + (isRight ? -5 : 5)).toFixed(1)}" y="${(lowest + lineHeight * (index + 1)).toFixed(1)}" text-anchor="${isRight ? 'end' : 'start'}">${label}</text>`
  })
  return html`${across}${upright}`
}

/** A place for the pointer for each x, with the values there. */
function hits(chart: Chart, { left, right, top, base, placeX, step }: Frame): Html {
  const { series, x: nameX, form } = chart
  const range = (x: number): string => `${brief(x)} to ${brief(x + step)} ${nameX}`
  const sayX = chart.sayX ?? (form === 'columns' ? range : (x: number) => `${brief(x)} ${nameX}`)
  const xs = [...new Set(series.flatMap(({ points }) => points.map(([x]) => x)))].sort((one, other) => one - other)
  const places = xs.map(placeX)
  return html`${xs.map((x, index) => {
    const at = places[index] ?? left
    const from = form === 'columns' ? at : index === 0 ? left : ((places[index - 1] ?? left) + at) / 2
    const to =
      form === 'columns' ? placeX(x + step) : index === xs.length - 1 ? right : (at + (places[index + 1] ?? right)) / 2
    const values = series.flatMap(({ name, points }) => {
      const found = points.find(([other]) => other === x)
      return found === undefined ? [] : [`${name}: ${brief(found[1])}`]
    })
    return html`<rect class="hit" x="${from.toFixed(1)}" width="${Math.max(1, to - from).toFixed(1)}" y="${top}" height="${base - top}"><title>${[sayX(x), ...values].join('\n')}</title></rect>`
  })}`
}
