import type { Chart } from './chart-data.ts'
import { brief, ticksOver } from './scale.ts'

/** Where the values of a chart are in its picture. */
export interface Frame {
  readonly left: number
  readonly right: number
  readonly top: number
  /** The y of the x axis. */
  readonly base: number
  readonly ticksX: readonly (readonly [x: number, label: string])[]
  readonly ticksY: readonly number[]
  /** The least distance of two neighbours on the x axis: the width of a column. */
  readonly step: number
  placeX(x: number): number
  placeY(y: number): number
}

const edges = { left: 48, right: 12, top: 12, bottom: 40 }
/** Of the labels of the y axis: a character, and what stands between them and either side. */
const label = { characterWidth: 7, margin: 12 }
const pixelsPerTick = { x: 75, y: 50 }

export function frameOf(chart: Chart, { width, height }: { readonly width: number; readonly height: number }): Frame {
  const { series, bounds = [], marks = [], logX = false, form } = chart
  const points = series.flatMap(({ points: own }) => own)
  const [right, top, base] = [width - edges.right, edges.top, height - edges.bottom]
  const xs = [...points.map(([x]) => x), ...marks.map(({ at }) => at)]
  const step = stepIn(points.map(([x]) => x))
  const scale = logX ? Math.log10 : (value: number): number => value
  const [minX, maxX] = [Math.min(...xs), Math.max(...xs) + (form === 'columns' ? step : 0)]
  const ticksY = ticksOver(
    0,
    Math.max(...heightsOf(chart), ...bounds.map(({ at }) => at)),
    (base - top) / pixelsPerTick.y,
  )
  const maxY = ticksY.at(-1) ?? 1
  const longest = Math.max(...ticksY.map((y) => brief(y).length))
  const left = Math.max(edges.left, label.margin + longest * label.characterWidth)
  return {
    left,
    right,
    top,
    base,
    step,
    ticksY,
    ticksX: chart.ticksX ?? roundTicks(minX, maxX, (right - left) / pixelsPerTick.x, xs.every(Number.isInteger)),
    placeX: (x) => left + ((scale(x) - scale(minX)) / (scale(maxX) - scale(minX) || 1)) * (right - left),
    placeY: (y) => base - (y / maxY) * (base - top),
  }
}

/** How high the chart reaches at each x: columns stand upon each other. */
function heightsOf({ series, form }: Chart): readonly number[] {
  const points = series.flatMap((one) => one.points)
  if (form !== 'columns') return points.map(([, y]) => y)
  const sums = new Map<number, number>()
  for (const [x, y] of points) sums.set(x, (sums.get(x) ?? 0) + y)
  return [...sums.values()]
}

/** Round numbers within the range: a tick beyond it would stand outside the picture. Whole numbers have no ticks between them. */
function roundTicks(from: number, to: number, about: number, areWhole: boolean): Frame['ticksX'] {
  return ticksOver(from, to, about)
    .filter((x) => x >= from && x <= to && (!areWhole || Number.isInteger(x)))
    .map((x) => [x, brief(x)])
}

function stepIn(xs: readonly number[]): number {
  const sorted = [...new Set(xs)].sort((one, other) => one - other)
  const distances = sorted.slice(1).map((x, index) => x - (sorted[index] ?? x))
  return distances.length === 0 ? 1 : Math.min(...distances)
}
