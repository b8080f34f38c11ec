import { expect, test } from 'vitest'
import { type Check, clause, must, should } from '../../check/check.ts'
import type { CheckId } from '../../check/check-ids.ts'
import { fields, idOf } from '../../check/test-tools.ts'
import type { Used } from '../../target/request.ts'
import { fitInto } from './fit.ts'

const run = async (): Promise<void> => {}
const checks = clause('1', [
  must(idOf('a.dear'), { ...fields, cost: { requests: 40, tokens: 4000 }, run }),
  must(idOf('a.needed'), { ...fields, cost: { requests: 5, tokens: 50 }, run }),
  must(idOf('a.cheap'), { ...fields, cost: { requests: 1, tokens: 10 }, dependsOn: [idOf('a.needed')], run }),
  should(idOf('a.less'), { ...fields, cost: { requests: 8, tokens: 80 }, run }),
])
const needed = (check: Check): readonly Check[] => [
  check,
  ...checks.filter(({ id }) => check.dependsOn?.includes(id) === true),
]
const fitOf = (room: Partial<Used>, selected: readonly Check[] = checks) =>
  fitInto(
    { requests: Number.POSITIVE_INFINITY, tokens: Number.POSITIVE_INFINITY, ...room },
    { selected, needed, costOf: ({ cost }) => cost ?? { requests: 0, tokens: 0 }, shared: { requests: 2, tokens: 20 } },
  )
const ids = ({ tooDear }: { tooDear: ReadonlyMap<CheckId, Used> }): readonly string[] => [...tooDear.keys()]

test('everything fits where there is room for it', () => {
  expect(fitOf({})).toMatchObject({ most: { requests: 56, tokens: 4160 }, tooDear: new Map() })
  expect(ids(fitOf({ requests: 56, tokens: 4160 }))).toEqual([])
})

test('what proves least for most is left out first', () => {
  expect(ids(fitOf({ requests: 55 }))).toEqual(['a.dear'])
  expect(ids(fitOf({ requests: 15 }))).toEqual(['a.less', 'a.dear'])
})

test('a check comes with what it depends on, or not at all', () => {
  const selected = checks.filter(({ id }) => id === idOf('a.cheap'))
  const fit = fitOf({ requests: 8 }, selected)
  expect(fit).toMatchObject({ most: { requests: 8, tokens: 80 }, tooDear: new Map() })
  expect([...fit.asked]).toEqual(['a.cheap', 'a.needed'])
  expect(ids(fitOf({ requests: 7 }, selected))).toEqual(['a.cheap'])
})

test('where not all fits, the bound is the room: what the first checks leave of it is given to others', () => {
  const { most, asked } = fitOf({ requests: 15 })
  expect([...asked]).toEqual(['a.cheap', 'a.needed'])
  expect(most).toEqual({ requests: 15, tokens: 4160 })
})

test('the budget that a check is said to need is enough for it', () => {
  for (const room of [{ requests: 4 }, { requests: 12 }, { tokens: 100 }, { requests: 20, tokens: 110 }])
    for (const [id, needs] of fitOf(room).tooDear) expect(ids(fitOf(needs)), id).not.toContain(id)
})
