/** Sums, counts and times as the pages show them. */
import { decimal } from '../ledger/money.ts'

/** Dollars with at least two decimals, and as many as it takes: a token costs less than a cent. */
export function dollars(pico: bigint): string {
  const [whole = '0', fraction = ''] = decimal(pico).split('.')
  return `${whole.replace(/\B(?=(\d{3})+$)/g, ',')}.${fraction.padEnd(2, '0')}`
}

export function count(value: number): string {
  return value.toLocaleString('en-US')
}

/** UTC to the minute. */
export function moment(unixMs: number): string {
  return new Date(unixMs).toISOString().slice(0, 16).replace('T', ' ')
}
