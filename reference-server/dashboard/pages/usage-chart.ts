import { renderChart } from '../../../src/markup/charts/chart.ts'
import type { Html } from '../../../src/markup/html.ts'
import { decimal } from '../../ledger/money.ts'
import type { DayUsage } from '../../store/store.ts'

export const metrics = {
  cost: { name: 'Cost', unit: 'US dollars', of: ({ usd }: DayUsage) => Number(decimal(usd)) },
  requests: { name: 'Requests', unit: 'requests', of: ({ requests }: DayUsage) => requests },
  tokens: {
    name: 'Tokens',
    unit: 'prompt and completion tokens',
    of: ({ promptTokens, completionTokens }: DayUsage) => promptTokens + completionTokens,
  },
} as const

export type MetricId = keyof typeof metrics

/** The chart has four colors. */
const SERIES_MAX = 4
const TICKS_MAX = 5

/** A column for each day, the oldest first, in layers by whatever `nameOf` says; small ones share a layer. */
export function usageChart(
  usage: readonly DayUsage[],
  days: readonly string[],
  metric: MetricId,
  nameOf: (one: DayUsage) => string,
): Html {
  const { name: title, unit, of } = metrics[metric]
  const totals = new Map<string, number>()
  for (const one of usage) totals.set(nameOf(one), (totals.get(nameOf(one)) ?? 0) + of(one))
  const names = [...totals].sort(([, one], [, other]) => other - one).map(([name]) => name)
  const shown = names.length > SERIES_MAX ? names.slice(0, SERIES_MAX - 1) : names
  const layers = names.length > SERIES_MAX ? [...shown, 'others'] : shown
  const sums = new Map<string, number>()
  for (const one of usage) {
    const place = `${one.day} ${shown.includes(nameOf(one)) ? nameOf(one) : 'others'}`
    sums.set(place, (sums.get(place) ?? 0) + of(one))
  }
  const series = (layers.length === 0 ? ['nothing'] : layers).map((name) => ({
    name,
    points: days.map((day, at) => [at, sums.get(`${day} ${name}`) ?? 0] as const),
  }))
  const apart = Math.ceil(days.length / TICKS_MAX)
  return renderChart({
    title,
    x: 'day (UTC)',
    y: unit,
    series,
    form: 'columns',
    isWhole: true,
    sayX: (at) => days[at] ?? '',
    ticksX: days.flatMap((day, at) => (at % apart === 0 ? [[at + 0.5, day.slice(5)] as const] : [])),
  })
}
