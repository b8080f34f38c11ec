import { renderChart } from '../../../src/markup/charts/chart.ts'
import type { Html } from '../../../src/markup/html.ts'
import { decimal } from '../../ledger/money.ts'
import type { DayUsage, HourUsage, KeyUsage } from '../../store/store.ts'

/** A key's usage of one model in one day or hour, which `time` names. */
export interface TimedUsage extends KeyUsage {
  readonly keyId: string
  readonly model: string
  readonly time: string
}

export const timedByDay = ({ day, ...usage }: DayUsage): TimedUsage => ({ ...usage, time: day })
export const timedByHour = ({ hour, ...usage }: HourUsage): TimedUsage => ({ ...usage, time: hour })

export const metrics = {
  cost: { name: 'Cost', unit: 'US dollars', of: ({ usd }: KeyUsage) => Number(decimal(usd)) },
  requests: { name: 'Requests', unit: '', of: ({ requests }: KeyUsage) => requests },
  tokens: {
    name: 'Tokens',
    unit: 'prompt and completion tokens',
    of: ({ promptTokens, completionTokens }: KeyUsage) => promptTokens + completionTokens,
  },
} as const

export type MetricId = keyof typeof metrics

/** The chart has four colors. */
const SERIES_MAX = 4
const TICKS_MAX = 5

/** A column for each of these days or hours, the oldest first, in layers by whatever `nameOf` says; small ones share a layer. */
export function usageChart(
  usage: readonly TimedUsage[],
  times: readonly string[],
  metric: MetricId,
  nameOf: (one: TimedUsage) => string,
): Html {
  const { name: title, unit, of } = metrics[metric]
  const totals = new Map<string, number>()
  for (const one of usage) totals.set(nameOf(one), (totals.get(nameOf(one)) ?? 0) + of(one))
  const names = [...totals].sort(([, one], [, other]) => other - one).map(([name]) => name)
  const shown = names.length > SERIES_MAX ? names.slice(0, SERIES_MAX - 1) : names
  const layers = names.length > SERIES_MAX ? [...shown, 'others'] : shown
  const sums = new Map<string, number>()
  for (const one of usage) {
    const place = `${one.time} ${shown.includes(nameOf(one)) ? nameOf(one) : 'others'}`
    sums.set(place, (sums.get(place) ?? 0) + of(one))
  }
  const series = (layers.length === 0 ? ['nothing'] : layers).map((name) => ({
    name,
    points: times.map((time, at) => [at, sums.get(`${time} ${name}`) ?? 0] as const),
  }))
  const apart = Math.ceil(times.length / TICKS_MAX)
  const isHours = times[0]?.includes(':') === true
  return renderChart({
    title,
    x: isHours ? 'hour (UTC)' : 'day (UTC)',
    y: unit,
    series,
    form: 'columns',
    isWhole: true,
    sayX: (at) => times[at] ?? '',
    ticksX: times.flatMap((time, at) => (at % apart === 0 ? [[at + 0.5, time.slice(isHours ? 11 : 5)] as const] : [])),
  })
}
