import { expect, test } from 'vitest'
import { keepsOthersInReserve } from './in-reserve.ts'

const well = (node: number) => ({ node, status: 200, outcome: 'complete' })
const refusal = (node: number) => ({ node, status: 503, outcome: 'complete' })
const cut = (node: number) => ({ node, status: undefined, outcome: 'cut-by-node' })

test.each([
  ['the first node failed before another was asked', [well(0), refusal(0), well(1)], true],
  ['the first node was cut before another was asked', [well(0), well(0), cut(0), well(1)], true],
  [
    'the nodes take turns, and one is rested after its failure',
    [well(0), well(1), refusal(1), well(0), well(0)],
    false,
  ],
  ['another node is asked first', [well(1), well(0)], false],
  ['none has failed, and only the first was asked', [well(0), well(0)], false],
  ['nobody was asked', [], false],
])('%s', (_, records, isReserve) => {
  expect(keepsOthersInReserve(records)).toBe(isReserve)
})
