import { expect, test } from 'vitest'
import type { Answer } from '../target/answer.ts'
import { answered } from './answered.ts'

async function statusOf(statuses: readonly (number | undefined)[]) {
  let asked = 0
  const ask = async (): Promise<Answer> => ({ status: statuses[asked++] }) as Partial<Answer> as Answer
  const { status } = await answered(ask)
  return { status, asked }
}

test('what came back counts, and nothing is asked again once', async () => {
  expect(await statusOf([429, 200])).toEqual({ status: 429, asked: 1 })
  expect(await statusOf([undefined, 429])).toEqual({ status: 429, asked: 2 })
  expect(await statusOf([undefined, undefined, 429])).toEqual({ status: undefined, asked: 2 })
})
