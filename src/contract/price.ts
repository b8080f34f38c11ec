/** A sum of US dollars in units of 1e-12. */
export type PicoUsd = bigint

const DECIMALS = 12

/** Reads a decimal text such as `-0.0000124`; undefined for anything else. Digits after the twelfth are cut off. */
export function readDecimal(text: unknown): PicoUsd | undefined {
  const [, sign, whole, fraction = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(typeof text === 'string' ? text : '') ?? []
  if (whole === undefined) return undefined
  const units = BigInt(whole + fraction.slice(0, DECIMALS).padEnd(DECIMALS, '0'))
  return sign === '-' ? -units : units
}

/** How many digits a decimal text shows after the point. */
export function decimalsOf(text: string): number {
  return Math.min(DECIMALS, text.split('.')[1]?.length ?? 0)
}

/** One unit of the last of this many decimals. */
export function lastUnit(decimals: number): PicoUsd {
  return 10n ** BigInt(DECIMALS - decimals)
}

/** What tokens cost at a price of C2.5, in US dollars per million tokens. At 1 USD a token costs a millionth of a dollar. */
export function tokensCost(tokens: number, usdPerMillion: number): PicoUsd {
  // Twelve decimals of a listed price are exact; a float beyond them is not what the gateway meant.
  const price = readDecimal(usdPerMillion.toFixed(DECIMALS)) ?? 0n
  return (BigInt(tokens) * price) / 1_000_000n
}

/** A sum as a decimal text. */
export function writeDecimal(sum: PicoUsd): string {
  const digits = (sum < 0n ? -sum : sum).toString().padStart(DECIMALS + 1, '0')
  const fraction = digits.slice(-DECIMALS).replace(/0+$/, '')
  return `${sum < 0n ? '-' : ''}${digits.slice(0, -DECIMALS)}${fraction === '' ? '' : `.${fraction}`}`
}
