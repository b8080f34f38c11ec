import { expect, test } from 'vitest'
import { readContract } from '../fixtures.ts'
import { clausesOf, parseContract } from './clauses.ts'

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

test('marks and an excuse are read apart from the statement', () => {
  const [clause] = parseContract('## 1 One\n\n- `a-b` **must** (http, framing) It is so. *Not provable: because.*\n')
  expect(clause?.statements).toEqual([
    { id: 'a-b', level: 'must', basis: 'http', gravity: 'framing', text: 'It is so.', notProvable: 'because.' },
  ])
})

test.each([
  ['of no level', '- `a` **may** (http, framing) be'],
  ['that is judged, without marks', '- `a` **must** be'],
  ['with a mark that there is not', '- `a` **must** (http, colour) be'],
  ['that is open, with marks', '- `a` **open** (http, framing) be'],
])('a line %s is our mistake', (_, line) => {
  expect(() => parseContract(`## 1 One\n${line}\n`)).toThrow('not a statement')
})

test('clauses come in the order of the contract, whatever order their results have, and an unknown one last', () => {
  const results = ['4.1', '9.9', '4', '2.1', '4.1'].map((clause) => ({ clause }))
  const found = clausesOf(results, readContract())
  expect(found.map(({ number }) => number)).toEqual(['2.1', '4', '4.1', '9.9'])
  expect(found[1]?.title).toBe('Endpoints')
})
