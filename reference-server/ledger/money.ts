declare const unit: unique symbol

/** An exact sum of 1e-12 USD. */
export type PicoUsd = bigint & { readonly [unit]: 'pUSD' }

/** What one token of text costs. A dollar per million tokens is exactly a million pico-dollars per token. */
export type PricePerToken = bigint & { readonly [unit]: 'pUSD per token' }

/** A sum of the network's token (C1) in units of 1e-12. */
export type Amount = bigint & { readonly [unit]: '1e-12 network tokens' }

/** What one of the network's tokens is worth, in pico-dollars. */
export type Rate = bigint & { readonly [unit]: 'pUSD per network token' }

const DECIMALS = 12
const ONE = 10n ** BigInt(DECIMALS)

/** Larger sums are a mistake, and the books are kept in 64 bits. */
const USD_MAX = 1_000_000n

/** The most that an account may hold, far below the limit of the 64 bits that the books are kept in. */
export const AMOUNT_MAX = 2n ** 62n

/** Reads C2.5's US dollars per million tokens. Six decimals is the finest price that stays whole. */
export function pricePerToken(usdPerMillion: number): PricePerToken {
  const [, whole = '', fraction = ''] = /^(\d+)(?:\.(\d{1,6}))?$/.exec(plain(usdPerMillion)) ?? []
  if (whole === '') throw new RangeError(`a price must have at most six decimals, got ${usdPerMillion}`)
  return BigInt(whole + fraction.padEnd(6, '0')) as PricePerToken
}

/** Multiplies and never divides: there is nothing to round. */
export function costOf(tokens: number, price: PricePerToken): PicoUsd {
  if (!Number.isSafeInteger(tokens) || tokens < 0) throw new RangeError(`not a count of tokens: ${tokens}`)
  return (BigInt(tokens) * price) as PicoUsd
}

/** The one place where anything rounds: up, to the next unit of the network's token. */
export function toAmount(usd: PicoUsd, rate: Rate): Amount {
  return ((usd * ONE + rate - 1n) / rate) as Amount
}

/** What an amount is worth at a rate, rounded down to a pico-dollar. */
export function toUsd(amount: Amount, rate: Rate): PicoUsd {
  return ((amount * rate) / ONE) as PicoUsd
}

/** Reads a sum of at most a million dollars from a decimal text; undefined for anything else. */
export function parseUsd(text: string): PicoUsd | undefined {
  const [, whole = '', fraction = ''] = /^(\d{1,8})(?:\.(\d{1,12}))?$/.exec(text) ?? []
  if (whole === '') return undefined
  const sum = BigInt(whole + fraction.padEnd(DECIMALS, '0'))
  return sum <= USD_MAX * ONE ? (sum as PicoUsd) : undefined
}

/** Reads the worth of one network token in dollars: above zero, with at most twelve decimals. */
export function parseRate(text: string): Rate | undefined {
  const usd = parseUsd(text)
  return usd === undefined || usd === 0n ? undefined : (BigInt(usd) as Rate)
}

/** A sum as an exact decimal text, without trailing zeros. */
export function decimal(sum: bigint): string {
  const digits = (sum < 0n ? -sum : sum).toString().padStart(DECIMALS + 1, '0')
  const fraction = digits.slice(-DECIMALS).replace(/0+$/, '')
  return `${sum < 0n ? '-' : ''}${digits.slice(0, -DECIMALS)}${fraction === '' ? '' : `.${fraction}`}`
}

/** A sum read from the store. */
export function amount(value: bigint | number): Amount {
  return BigInt(value) as Amount
}

/** `String` writes 1e-7 with an exponent. */
function plain(value: number): string {
  return /e/.test(String(value)) ? value.toFixed(12).replace(/0+$/, '') : String(value)
}
