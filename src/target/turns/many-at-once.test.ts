import { expect, test } from 'vitest'
import type { Answer } from '../answer.ts'
import type { TargetConfig } from '../config.ts'
import type { Target } from '../target.ts'
import { Unsettled } from '../unsettled.ts'
import { placesOf } from './many-at-once.ts'

/** A target that answers the n-th of several requests at once so. */
function targetThat(answer: (n: number) => Pick<Answer, 'status'> & { readonly endedAtMs: number }) {
  let asked = 0
  const send = async (): Promise<Answer> => {
    asked += 1
    const { status, endedAtMs } = answer(asked)
    return { status, exchange: { endedAtMs } } as Answer
  }
  const config: Partial<TargetConfig> = { concurrency: 8 }
  const target: Partial<Target> = { config: config as TargetConfig, send }
  return { target: target as Target, asked: () => asked }
}

test.each([
  ['in the time of one', () => ({ status: 200, endedAtMs: 320 }), 16],
  ['one after the other', (n: number) => ({ status: 200, endedAtMs: n * 300 }), 8],
  ['with a limit for the last', (n: number) => ({ status: n === 16 ? 429 : 200, endedAtMs: 300 }), 8],
])('a target that answers sixteen %s', async (_, answer, places) => {
  const { target, asked } = targetThat(answer)
  expect(await placesOf(target, 'small', 300)).toBe(places)
  expect(asked()).toBe(16)
})

test('a quick target is not asked whether it can do more', async () => {
  const { target, asked } = targetThat(() => ({ status: 200, endedAtMs: 5 }))
  expect(await placesOf(target, 'small', 5)).toBe(8)
  expect(asked()).toBe(0)
})

test('a run that is over goes on as it is', async () => {
  const { target } = targetThat(() => {
    throw new Unsettled('budget', 'the time is up')
  })
  expect(await placesOf(target, 'small', 300)).toBe(8)
})
