import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  type Amount,
  costOf,
  decimal,
  parseRate,
  parseUsd,
  pricePerToken,
  type Rate,
  toAmount,
  toUsd,
} from './money.ts'

const tokens = fc.integer({ min: 0, max: 1_000_000 })
const price = fc.integer({ min: 0, max: 1_000_000_000 }).map((millionths) => pricePerToken(millionths / 1e6))
const rate = fc.bigInt({ min: 1n, max: 10n ** 18n }).map((value) => value as Rate)

describe('money', () => {
  test('the prices of the contract are whole', () => {
    expect([0.1, 0.5, 0.6, 15, 0.000001].map(pricePerToken)).toEqual([100_000n, 500_000n, 600_000n, 15_000_000n, 1n])
    expect(() => pricePerToken(0.0000001)).toThrow(/six decimals/)
    expect(() => pricePerToken(-1)).toThrow(/six decimals/)
  })

  test('what is charged together costs the same as what is charged apart', () => {
    fc.assert(
      fc.property(tokens, tokens, price, (some, more, each) => {
        expect(costOf(some, each) + costOf(more, each)).toBe(costOf(some + more, each))
      }),
    )
  })

  test('rounding is up, by less than one unit, and keeps the order', () => {
    fc.assert(
      fc.property(tokens, tokens, price, rate, (some, more, each, at) => {
        const exact = costOf(some, each) * 10n ** 12n
        const rounded = toAmount(costOf(some, each), at)
        expect(rounded * at).toBeGreaterThanOrEqual(exact)
        expect((rounded - 1n) * at).toBeLessThan(exact + (exact === 0n ? 1n : 0n))
        expect(toAmount(costOf(some + more, each), at)).toBeGreaterThanOrEqual(rounded)
      }),
    )
  })

  test('at a dollar a token, nothing rounds', () => {
    const one = parseRate('1') as Rate
    expect(toAmount(costOf(7, pricePerToken(0.1)), one)).toBe(700_000n)
    expect(toUsd(700_000n as Amount, one)).toBe(700_000n)
  })

  test('decimal texts are exact both ways', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 10n ** 18n }), (sum) => {
        expect(parseUsd(decimal(sum))).toBe(sum)
      }),
    )
    expect([decimal(-700_000n), decimal(0n), decimal(10n ** 12n)]).toEqual(['-0.0000007', '0', '1'])
    for (const wrong of ['', '-1', '1e3', '1.', '.5', '0x10', '1000001', '0.1234567890123', ' 1'])
      expect(parseUsd(wrong), wrong).toBeUndefined()
    expect(parseRate('0')).toBeUndefined()
  })
})
