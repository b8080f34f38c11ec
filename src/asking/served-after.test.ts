import { expect, test } from 'vitest'
import type { CheckContext } from '../check/context.ts'
import { createExpect, Mismatch } from '../check/expect.ts'
import type { Answer } from '../target/answer.ts'
import { holdServedAfter } from './served-after.ts'

/** Holds a target that answers by what came before: `behind` others, or alone. */
async function verdictOn(statusOf: (isBehind: boolean, asked: number) => number | undefined) {
  let isBehind = false
  let asked = 0
  const send = async (): Promise<Answer> => {
    const answer = { status: statusOf(isBehind, asked) } as Answer
    isBehind = false
    asked += 1
    return answer
  }
  const context = {
    send,
    ask: async () => ({ status: 200 }) as Answer,
    model: 'small',
    expect: createExpect(() => {}),
    undecidable: (reason: string) => new Error(reason),
  } as Partial<CheckContext> as CheckContext
  const others = async (): Promise<void> => {
    isBehind = true
  }
  return holdServedAfter(context, 'others', {}, others).then(
    () => 'held',
    (error: unknown) => (error instanceof Mismatch ? 'departed' : 'undecided'),
  )
}

test.each<[string, (isBehind: boolean, asked: number) => number | undefined, string]>([
  ['serves always', () => 200, 'held'],
  ['fails once', (_, asked) => (asked === 0 ? 503 : 200), 'held'],
  ['is closed behind others', (isBehind) => (isBehind ? 503 : 200), 'departed'],
  ['fails behind others', (isBehind) => (isBehind ? 500 : 200), 'departed'],
  ['is always at its limit', () => 429, 'undecided'],
  ['meets a limit behind others alone', (isBehind) => (isBehind ? 429 : 200), 'undecided'],
  ['is too busy now and then', (_, asked) => (asked % 9 < 6 ? 503 : 200), 'undecided'],
  [
    'is closed by others that are not ours, too',
    (isBehind, asked) => (isBehind || asked === 8 ? 503 : 200),
    'departed',
  ],
  ['cuts connections', (isBehind) => (isBehind ? undefined : 200), 'undecided'],
])('a target that %s', async (_, statusOf, verdict) => {
  expect(await verdictOn(statusOf)).toBe(verdict)
})
