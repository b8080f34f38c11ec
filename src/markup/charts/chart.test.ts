import { expect, test } from 'vitest'
import { renderChart } from './chart.ts'

const chart = { title: 'Use', x: 'day', y: '$', form: 'columns' } as const

test('columns of several series stand upon each other, below the highest tick', () => {
  const series = [
    {
      name: 'one',
      points: [
        [0, 30],
        [1, 10],
      ],
    },
    {
      name: 'other',
      points: [
        [0, 60],
        [1, 0],
      ],
    },
  ] as const
  const [wide = ''] = renderChart({ ...chart, series, sayX: (x) => `day ${x}` }).text.split('<svg class="narrow"')
  const columns = [...wide.matchAll(/class="column (s\d)" x="([\d.]+)" width="[\d.]+" y="([\d.]+)" height="([\d.]+)"/g)]
  const [low, , high] = columns.map(([, color, x, y, height]) => ({ color, x, top: Number(y), height: Number(height) }))
  expect([low?.color, high?.color, low?.x]).toEqual(['s0', 's1', high?.x])
  expect((high?.top ?? 0) + (high?.height ?? 0)).toBeCloseTo(low?.top ?? 0, 0)
  expect((high?.height ?? 0) / (low?.height ?? 1)).toBeCloseTo(2, 1)
  expect(wide).toContain('>100</text>')
  expect(wide).toContain('<title>day 0\none: 30\nother: 60</title>')
})

test('long labels of the y axis have room in the picture', () => {
  const leftOf = (y: number): number => {
    const points = [[0, y] as const, [1, y] as const]
    const { text } = renderChart({ ...chart, series: [{ name: 'cost', points }] })
    return Number(/<text x="([\d.]+)" [^>]*text-anchor="end">/.exec(text)?.[1])
  }
  expect(leftOf(0.000003)).toBeGreaterThan('0.000003'.length * 6.5)
  expect(leftOf(30)).toBeLessThan(leftOf(0.000003))
})

test('the name of an objective at the upper edge stands below its line, where the picture does not cut it off', () => {
  const series = [{ name: 'p95', points: [[0, 80] as const] }]
  const chartOf = (at: number): string =>
    renderChart({ title: 'Time', x: 's', y: 'ms', series, bounds: [{ at, label: 'objective' }] }).text
  const places = (at: number): readonly number[] => {
    const [, line, name] =
      /class="bound"[^>]* y1="([\d.]+)".*?class="bound-name"[^>]* y="([\d.]+)"/s.exec(chartOf(at)) ?? []
    return [Number(line), Number(name)]
  }
  const [atEdge = 0, below = 0] = places(300)
  expect(below).toBeGreaterThan(atEdge + 10)
  const [amidst = 0, above = 0] = places(50)
  expect(above).toBeLessThan(amidst)
})

test('the name of a mark at the right edge stands below that of an objective, which makes room for it', () => {
  const series = [
    {
      name: 'p95',
      points: [
        [2, 80],
        [16, 80],
      ],
    },
  ] as const
  const { text } = renderChart({
    title: 'Time',
    x: 'connections',
    y: 'ms',
    series,
    bounds: [{ at: 300, label: 'objective' }],
    marks: [{ at: 16, label: 'knee' }],
  })
  const [objective = 0, mark = 0] = ['bound-name', 'knee-name'].map((name) =>
    Number(new RegExp(`class="${name}"[^>]* y="([\\d.]+)"`).exec(text)?.[1]),
  )
  expect(mark).toBeGreaterThanOrEqual(objective + 14)
  expect(text).toMatch(/class="bound-name"[^>]* text-anchor="start"/)
})
