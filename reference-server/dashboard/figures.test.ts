import { expect, test } from 'vitest'
import { money } from './figures.ts'

test.each([
  ['a cost far below a cent, to two digits', 11_600_000n, '<data value="0.0000116">$0.000012</data>'],
  ['a cost that two digits tell', 12_000_000n, '<data value="0.000012">$0.000012</data>'],
  ['a sum, to a hundredth of a cent', 1_234_560_000_000n, '<data value="1.23456">$1.2346</data>'],
  ['a sum of thousands', 1_234_500_000_000_000n, '<data value="1234.5">$1,234.50</data>'],
  ['nothing', 0n, '<data value="0">$0.00</data>'],
  ['the smallest cost there is', 1n, '<data value="0.000000000001">$0.000000000001</data>'],
])('%s is rounded as shown, and exact as a value', (_, pico, shown) => {
  expect(money(pico).text).toBe(shown)
})
