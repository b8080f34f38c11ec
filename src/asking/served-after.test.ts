import { expect, test } from 'vitest'
import type { CheckContext } from '../check/context.ts'
import { createExpect, Mismatch } from '../check/expect.ts'
import type { Answer } from '../target/answer.ts'
import { holdServedAfter } from './served-after.ts'

/** Judges a target whose answer depends on whether it comes after others. */
async function verdictOn(
  statusOf: (isAfter: boolean, asked: number) => number | undefined,
  closedFor = 1,
  serves = (_isAfter: boolean): boolean => true,
) {
  let isAfter = false
  let left = 0
  let asked = 0
  const send = async (): Promise<Answer> => {
    const answer = { status: statusOf(isAfter, asked) } as Answer
    left -= 1
    isAfter &&= left > 0
    asked += 1
    return answer
  }
  const context = {
    send,
    ask: async () => {
      if (!serves(isAfter)) throw new Error('and so did a plain request beside it')
      return { status: 200 } as Answer
    },
    model: 'small',
    expect: createExpect(() => {}),
    undecidable: (reason: string) => new Error(reason),
    prepared: {} as CheckContext['prepared'],
  } as Partial<CheckContext> as CheckContext
  const others = async (): Promise<void> => {
    isAfter = true
    left = closedFor
  }
  return holdServedAfter(context, 'others', {}, others, { withinMs: 20, everyMs: 5 }).then(
    () => 'held',
    (error: unknown) => (error instanceof Mismatch ? 'failed' : 'undecided'),
  )
}

test.each<[string, (isAfter: boolean, asked: number) => number | undefined, string]>([
  ['serves always', () => 200, 'held'],
  ['fails once', (_, asked) => (asked === 0 ? 503 : 200), 'held'],
  ['is closed after others', (isAfter) => (isAfter ? 503 : 200), 'failed'],
  ['fails after others', (isAfter) => (isAfter ? 500 : 200), 'failed'],
  ['is always at its limit', () => 429, 'undecided'],
  ['meets a limit only after others', (isAfter) => (isAfter ? 429 : 200), 'undecided'],
  ['is often too busy', (_, asked) => (asked % 3 < 2 ? 503 : 200), 'undecided'],
  ['is too busy for a while', (_, asked) => (asked < 6 ? 503 : 200), 'held'],
  [
    'is also closed after requests that are not ours',
    (isAfter, asked) => (isAfter || asked === 8 ? 503 : 200),
    'failed',
  ],
  ['cuts connections', (isAfter) => (isAfter ? undefined : 200), 'undecided'],
])('a target that %s', async (_, statusOf, verdict) => {
  expect(await verdictOn(statusOf)).toBe(verdict)
})

test('a target that stays closed after others has failed after two such times', async () => {
  let times = 0
  const statusOf = (isAfter: boolean): number => {
    if (isAfter) times += 1
    return isAfter ? 503 : 200
  }
  expect(await verdictOn(statusOf, 7)).toBe('failed')
  expect(times).toBe(14)
})

test('a target that does not open again after others has failed, and one that was closed before is not judged', async () => {
  const forEver = Number.POSITIVE_INFINITY
  const isServedBefore = (isAfter: boolean): boolean => !isAfter
  expect(await verdictOn((isAfter) => (isAfter ? 503 : 200), forEver, isServedBefore)).toBe('failed')
  expect(await verdictOn((isAfter) => (isAfter ? 429 : 200), forEver, isServedBefore)).toBe('undecided')
  expect(await verdictOn((isAfter) => (isAfter ? undefined : 200), forEver, isServedBefore)).toBe('undecided')
  expect(
    await verdictOn(
      () => 503,
      forEver,
      () => false,
    ),
  ).toBe('undecided')
})
