import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { clause, must } from './check.ts'
import type { Phase } from './phases.ts'
import { fields, idOf, runOf } from './test-tools.ts'

test('runs the phases one after the other', async () => {
  const order: string[] = []
  const note = (id: string, phase?: 'random' | 'audit') =>
    must(idOf(id), {
      ...fields,
      ...(phase === undefined ? {} : { phase }),
      async run({ expect: hold }) {
        order.push(id)
        hold('one', 1).is(1)
      },
    })
  const verdict = runOf(clause('1', [note('c.audit', 'audit'), note('b.random', 'random'), note('a.main')]))
  await verdict('c.audit')
  expect(order).toEqual(['a.main', 'b.random', 'c.audit'])
})

test('lets odd checks begin while a slow check of the main phase still runs, and audits only when it is over', async () => {
  const order: string[] = []
  const odd = Promise.withResolvers<void>()
  const note = (id: string, phase: Phase, until = Promise.resolve()) =>
    must(idOf(id), {
      ...fields,
      phase,
      async run({ expect: hold }) {
        await until
        order.push(id)
        if (phase === 'odd') odd.resolve()
        hold('one', 1).is(1)
      },
    })
  const verdict = runOf(
    clause('1', [note('c.audit', 'audit'), note('b.odd', 'odd'), note('a.slow', 'main', odd.promise)]),
  )
  await Promise.all(['a.slow', 'b.odd', 'c.audit'].map(verdict))
  expect(order).toEqual(['b.odd', 'a.slow', 'c.audit'])
})

test('lets random checks begin while a slow odd one still runs', async () => {
  const order: string[] = []
  const random = Promise.withResolvers<void>()
  const note = (id: string, phase: Phase, until = Promise.resolve()) =>
    must(idOf(id), {
      ...fields,
      phase,
      async run({ expect: hold }) {
        await until
        order.push(id)
        if (phase === 'random') random.resolve()
        hold('one', 1).is(1)
      },
    })
  const verdict = runOf(clause('1', [note('b.random', 'random'), note('a.slow', 'odd', random.promise)]))
  await Promise.all(['a.slow', 'b.random'].map(verdict))
  expect(order).toEqual(['b.random', 'a.slow'])
})

test('runs an exclusive check after the slow ones of the earlier phase, and no other beside it', async () => {
  let running = 0
  const beside: number[] = []
  const note = (id: string, phase: 'last' | 'exclusive', turns: number) =>
    must(idOf(id), {
      ...fields,
      phase,
      async run({ expect: hold }) {
        running += 1
        for (let turn = 0; turn < turns; turn += 1) await setImmediate()
        if (phase === 'exclusive') beside.push(running)
        running -= 1
        hold('one', 1).is(1)
      },
    })
  const verdict = runOf(
    clause('1', [note('a.exclusive', 'exclusive', 1), note('b.exclusive', 'exclusive', 9), note('c.slow', 'last', 99)]),
  )
  await Promise.all(['c.slow', 'a.exclusive', 'b.exclusive'].map(verdict))
  expect(beside).toEqual([1, 1])
})
