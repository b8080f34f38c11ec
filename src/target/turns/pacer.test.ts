import { describe, expect, test } from 'vitest'
import { createPacer, type Pacer } from './pacer.ts'

const enter = (pacer: Pacer): Promise<() => void> => pacer.enter(() => 60_000)

/** How many of these requests may go at once. */
async function placesOf(pacer: Pacer, most: number): Promise<number> {
  const leaving: (() => void)[] = []
  for (let asked = 0; asked < most; asked += 1) void enter(pacer).then((leave) => leaving.push(leave))
  await new Promise(setImmediate)
  const places = leaving.length
  for (let left = 0; left < most; left += 1) {
    await new Promise(setImmediate)
    leaving[left]?.()
  }
  return places
}

describe('the pacer', () => {
  test('lets as many go at once as a target takes that refuses the others', async () => {
    const pacer = createPacer(8)
    expect(await placesOf(pacer, 20)).toBe(8)
    const leaving = await Promise.all(Array.from({ length: 8 }, () => enter(pacer)))
    for (const leave of leaving.slice(2)) {
      pacer.crowded()
      leave()
    }
    for (const leave of leaving.slice(0, 2)) leave()
    expect(await placesOf(pacer, 20)).toBe(2)
  })

  test('lets one go at a time once that is known to be all that a target does', async () => {
    const pacer = createPacer(8)
    pacer.oneAtATime()
    for (let time = 0; time < 200; time += 1) pacer.passed()
    expect(await placesOf(pacer, 20)).toBe(1)
  })

  test('lets more go at once where a target takes them, but not where it met a limit', async () => {
    const pacer = createPacer(8)
    pacer.widen(16)
    expect(await placesOf(pacer, 20)).toBe(16)
    const limited = createPacer(8)
    const leaving = await Promise.all(Array.from({ length: 8 }, () => enter(limited)))
    limited.crowded()
    for (const leave of leaving) leave()
    limited.widen(16)
    expect(await placesOf(limited, 20)).toBe(7)
  })

  test.each([
    ['where one goes at a time', 8, (pacer: Pacer) => pacer.oneAtATime()],
    ['where time is short', 1, (pacer: Pacer) => pacer.leastFirst()],
  ])('%s, lets those go first that take the least in all', async (_, places, said) => {
    const pacer = createPacer(places)
    said(pacer)
    const leave = await enter(pacer)
    const gone: string[] = []
    const waiting = [
      ['much', 500],
      ['little', 10],
      ['as little', 10],
      ['nothing', 0],
    ] as const
    const all = waiting.map(async ([name, allMs]) => {
      const leave = await pacer.enter(() => 60_000, false, allMs)
      gone.push(name)
      leave()
    })
    leave()
    await Promise.all(all)
    expect(gone).toEqual(['nothing', 'little', 'as little', 'much'])
  })

  test('where time is short, keeps one place for what takes little', async () => {
    const pacer = createPacer(3)
    pacer.leastFirst()
    const gone: string[] = []
    for (const [name, allMs] of [
      ['long 1', 9000],
      ['long 2', 9000],
      ['long 3', 9000],
      ['short', 10],
    ] as const)
      void pacer.enter(() => 60_000, false, allMs).then(() => gone.push(name))
    await new Promise(setImmediate)
    expect(gone).toEqual(['long 1', 'long 2', 'short'])
  })

  test('gives places back as requests pass, and never takes the last one', async () => {
    const pacer = createPacer(8)
    for (let time = 0; time < 20; time += 1) pacer.crowded()
    expect(await placesOf(pacer, 20)).toBe(1)
    for (let time = 0; time < 55; time += 1) pacer.passed()
    expect(await placesOf(pacer, 20)).toBe(2)
    for (let time = 0; time < 1000; time += 1) pacer.passed()
    expect(await placesOf(pacer, 20)).toBe(8)
  })

  test('one that goes alone goes before those that wait, when nothing else is in flight', async () => {
    const pacer = createPacer(2)
    const went: string[] = []
    const first = await enter(pacer)
    const second = await enter(pacer)
    const waiting = enter(pacer).then((leave) => ({ leave, went: went.push('waiting') }))
    const alone = pacer.enter(() => 60_000, true).then((leave) => ({ leave, went: went.push('alone') }))
    first()
    await new Promise(setImmediate)
    expect(went).toEqual([])
    second()
    const { leave } = await alone
    await new Promise(setImmediate)
    expect(went).toEqual(['alone'])
    leave()
    await waiting
    expect(went).toEqual(['alone', 'waiting'])
  })
})
