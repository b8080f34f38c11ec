import { countOf } from '../../count.ts'
import type { Arrivals } from './arrivals.ts'

/** One load of a series: the connections of a closed loop, or the rate of an open one. */
export function loadWords({ arrivals }: { readonly arrivals: Arrivals }, value: number): string {
  const rounded = Math.round(value * 100) / 100
  return arrivals.kind === 'closed' ? countOf(rounded, 'connection') : `${countOf(rounded, 'request')} per second`
}
