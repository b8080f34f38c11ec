/** Sums, counts and times as the pages show them. */
import { type Html, html } from '../../src/markup/html.ts'
import { decimal } from '../ledger/money.ts'

/** Dollars with at least two decimals, and as many as it takes: a token costs less than a cent. */
export function dollars(pico: bigint): string {
  return inPlaces(decimal(pico))
}

const PICO_PER_HUNDREDTH_CENT = 100_000_000n

/** Dollars, rounded to a hundredth of a cent, or to two digits where that would be nothing; the exact sum is the element's value. */
export function money(pico: bigint): Html {
  const digits = pico.toString().length
  const unit = pico >= PICO_PER_HUNDREDTH_CENT ? PICO_PER_HUNDREDTH_CENT : 10n ** BigInt(Math.max(0, digits - 2))
  return html`<data value="${decimal(pico)}">$${inPlaces(decimal(((pico + unit / 2n) / unit) * unit))}</data>`
}

function inPlaces(sum: string): string {
  const [whole = '0', fraction = ''] = sum.split('.')
  return `${whole.replace(/\B(?=(\d{3})+$)/g, ',')}.${fraction.padEnd(2, '0')}`
}

export function count(value: number): string {
  return value.toLocaleString('en-US')
}

/** A whole number of milliseconds as people read it. */
export function duration(ms: number): string {
  return ms < 1000 ? `${ms} ms` : `${(ms / 1000).toFixed(ms < 10_000 ? 2 : 1)} s`
}

/** UTC to the minute. */
export function moment(unixMs: number): Html {
  return html`<time>${new Date(unixMs).toISOString().slice(0, 16).replace('T', ' ')}</time>`
}

/** UTC to the second. */
export function second(unixMs: number): string {
  return new Date(unixMs).toISOString().slice(0, 19).replace('T', ' ')
}
