import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { decimalsOf, lastUnit, readDecimal, tokensCost, writeDecimal } from './price.ts'

describe('sums of dollars', () => {
  test('are exact as texts, both ways', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(10n ** 20n), max: 10n ** 20n }), (sum) => {
        expect(readDecimal(writeDecimal(sum))).toBe(sum)
      }),
    )
    for (const wrong of ['', '1e3', '.5', '1.', 'NaN', 1, undefined]) expect(readDecimal(wrong)).toBeUndefined()
  })

  test('cost what the list says', () => {
    expect(tokensCost(1_000_000, 0.1)).toBe(readDecimal('0.1'))
    expect(tokensCost(7, 0.6)).toBe(readDecimal('0.0000042'))
    expect(tokensCost(3, 0.000001)).toBe(3n)
  })

  test('are shown to a last decimal', () => {
    expect(decimalsOf('0.120')).toBe(3)
    expect(decimalsOf('5')).toBe(0)
    expect(writeDecimal(lastUnit(6))).toBe('0.000001')
  })
})
