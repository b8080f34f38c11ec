import { expect, test } from 'vitest'
import { type Charged, expectCharges } from '../../../bench/reliability/books.ts'
import type { Seen } from '../../../bench/reliability/client.ts'
import type { Books } from '../../../reference-server/integration/books.ts'

const reply = (requestId: string, ending: Seen['ending'] = 'whole'): Seen => ({
  status: 200,
  requestId,
  retryAfter: undefined,
  code: undefined,
  ending,
  tokens: ending === 'whole' ? 30 : undefined,
})
const refusal: Seen = {
  status: 503,
  requestId: undefined,
  retryAfter: '1',
  code: undefined,
  ending: 'whole',
  tokens: undefined,
}
const leftEarly: Seen = {
  status: 0,
  requestId: undefined,
  retryAfter: undefined,
  code: undefined,
  ending: 'left',
  tokens: undefined,
}

/** Two whole replies, a stream that was cut, a refusal and a request that was left before its head. */
function asked(): Charged {
  const charged = expectCharges()
  for (const seen of [reply('one'), reply('two'), reply('half', 'cut'), refusal, leftEarly]) charged.note(seen, 100n)
  return charged
}

/** What an account with these charges has left of a million units. */
function booksWith(charges: readonly (readonly [string, bigint])[], change: Partial<Books> = {}): Books {
  const spent = charges.reduce((sum, [, cost]) => sum + cost, 0n)
  const balance = `0.${String(1_000_000n - spent).padStart(12, '0')}`
  const ids = charges.map(([id]) => id)
  return { balance, held: '0', sum: 1_000_000n - spent, charges: ids, costs: new Map(charges), credits: 1, ...change }
}

const due = [
  ['one', 3000n],
  ['two', 3000n],
] as const

test('books that charge each reply what it says are right, whether or not what broke off was charged', () => {
  expect(asked().problems(booksWith(due))).toEqual([])
  expect(asked().problems(booksWith([...due, ['half', 700n], ['the one that was left', 5n]]))).toEqual([])
})

test.each<[string, Books]>([
  ['1 whole replies were not charged: two', booksWith([due[0]])],
  ['1 charges differ from the usage: two cost 3100 instead of 3000', booksWith([due[0], ['two', 3100n]])],
  ['1 requests were charged twice', booksWith(due, { charges: ['one', 'two', 'two'] })],
  ['2 charges are for none of the replies', booksWith([...due, ['nobody', 1n], ['nobody else', 1n]])],
  ['0.5 is held although nothing is under way', booksWith(due, { held: '0.5' })],
  ['the entries sum to 994001', booksWith(due, { sum: 994_001n })],
])('%s', (problem, books) => {
  expect(asked().problems(books)).toEqual([expect.stringContaining(problem)])
})
