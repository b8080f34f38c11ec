import { expect, test } from 'vitest'
import { readObjectives } from '../../load/schedule/objective.ts'
import { objectiveValue } from './objective-value.ts'

test.each([
  ['ttft.p95<300ms', 126.655, '126.7 ms'],
  ['ttft.p95<2s', 1234.5, '1235 ms'],
  ['errors<0.1%', 0, '0.00 %'],
  ['goodput>95%', 99.123, '99.12 %'],
  ['eventsPerS>1000', 1200, '1200.00/s'],
  // What is rounded must not stand on the other side of the bound.
  ['ttft.p95<126.66ms', 126.655, '126.655 ms'],
])('%s that measured %d is shown as %s', (expression, value, shown) => {
  expect(objectiveValue({ expression, value }, readObjectives(expression))).toBe(shown)
})

test('where nothing was measured there is no value', () => {
  expect(objectiveValue({ expression: 'ttft.p95<3s', value: null }, readObjectives('ttft.p95<3s'))).toBeUndefined()
})
