import { expect, test } from 'vitest'
import { readContract } from '../fixtures.ts'
import { parseContract } from './clauses.ts'

test('the contract has all its clauses, and every statement an id of its own', () => {
  const contract = readContract()
  expect(contract.map(({ number }) => number)).toEqual([
    '1',
    '2.1',
    '2.2',
    '2.3',
    '2.4',
    '2.5',
    '2.6',
    '3',
    '4',
    '4.1',
    '4.2',
    '5',
    '6',
    '7',
    '8',
    '9',
  ])
  const ids = contract.flatMap(({ statements }) => statements.map(({ id }) => id))
  expect(ids.length).toBe(new Set(ids).size)
})

test('an excuse is read apart from its statement', () => {
  const [clause] = parseContract('## 1 One\n\n- `a-b` **must** It is so. *Not provable: because.*\n')
  expect(clause?.statements).toEqual([{ id: 'a-b', level: 'must', text: 'It is so.', notProvable: 'because.' }])
})

test('a line that is not a statement is our mistake', () => {
  expect(() => parseContract('## 1 One\n- `a` **may** be\n')).toThrow('not a statement')
})
