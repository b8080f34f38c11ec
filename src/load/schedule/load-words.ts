import { countOf } from '../../count.ts'
import type { Arrivals } from './arrivals.ts'

/** One load of a series: the connections of a closed loop, or the rate of an open one. */
export function loadWords({ arrivals }: { readonly arrivals: Arrivals }, value: number): string {
  const rounded = Math.round(value * 100) / 100
  return arrivals.kind === 'closed' ? countOf(rounded, 'connection') : `${countOf(rounded, 'request')} per second`
}

/** How many of the loads of a series are named one by one. */
const loadsMax = 8

/** All loads of a series, from the lowest to the highest. */
export function seriesWords(plan: { readonly arrivals: Arrivals }, values: readonly number[]): string {
  const ordered = [...new Set(values)].sort((one, other) => one - other)
  const [most = 0] = ordered.slice(-1)
  const before = ordered.slice(0, -1).map((value) => Math.round(value * 100) / 100)
  if (before.length === 0) return loadWords(plan, most)
  return before.length < loadsMax
    ? `${before.join(', ')} and ${loadWords(plan, most)}`
    : `${before[0]} to ${loadWords(plan, most)}`
}
