import { setTimeout as sleep } from 'node:timers/promises'
import type { CheckContext } from '../check/context.ts'
import { type PicoUsd, tokensCost, writeDecimal } from '../contract/price.ts'
import { at, numberAt } from '../json.ts'
import type { Answer, StreamAnswer } from '../target/answer.ts'
import type { ChatBody } from '../target/chat.ts'
import type { KeyUsage } from '../target/control/answers.ts'
import { Unsettled } from '../target/unsettled.ts'
import type { Purse } from './test-account.ts'

/** Requests that cost differently: short, long, cut, a conversation, text of several bytes a letter. */
export const paidBodies: readonly ChatBody[] = [
  { messages: [{ role: 'user', content: 'Describe a lighthouse in a few sentences.' }], max_tokens: 48 },
  { messages: [{ role: 'user', content: 'Name one colour.' }], max_tokens: 1, temperature: 0 },
  { messages: [{ role: 'user', content: 'Reply with the single word yes.' }], max_tokens: 300 },
  { messages: [{ role: 'user', content: 'Write two sentences about the sea.' }], max_tokens: 200, stop: ['. ', '\n'] },
  {
    messages: [{ role: 'user', content: `Summarise: ${'the tide comes in and goes out. '.repeat(40)}` }],
    max_tokens: 16,
    stop: ['\u0001'],
    top_p: 0.5,
  },
  {
    messages: [
      { role: 'system', content: 'You answer in Japanese: 日本語で。' },
      { role: 'user', content: 'Zoë 👩‍💻 ½?' },
    ],
    max_tokens: 24,
  },
]

/** Asks for the token counts of a stream, which most gateways then send in a chunk of their own. */
export const withUsage: ChatBody = { stream_options: { include_usage: true } }

/** The token counts that a stream shows. */
export function usageIn({ chunks }: StreamAnswer): unknown {
  return chunks.map(({ json }) => at(json, 'usage')).findLast((usage) => numberAt(usage, 'total_tokens'))
}

/** What a reply costs by its own `usage` and the listed price of its model. */
export function costOf({ prepared }: CheckContext, usage: unknown, model: string): PicoUsd {
  const listed = prepared.roster.find(({ id }) => id === model)
  const prompt = numberAt(usage, 'prompt_tokens')
  const completion = numberAt(usage, 'completion_tokens')
  if (listed?.promptPrice === undefined || listed.completionPrice === undefined)
    throw new Unsettled('text', `the list names no price of ${model}`)
  if (prompt === undefined || completion === undefined)
    throw new Unsettled('text', 'the reply shows no usage, so its price is not known')
  return tokensCost(prompt, listed.promptPrice) + tokensCost(completion, listed.completionPrice)
}

const pollMs = 25

/** What the purse has spent once that is more than `cost`, or when the settling time is over. */
export async function spentBeyond({ target }: CheckContext, purse: Purse, cost: PicoUsd): Promise<PicoUsd> {
  const endMs = performance.now() + target.config.settlingMs
  let spent = await purse.spent()
  while (spent <= cost && performance.now() < endMs) {
    await sleep(pollMs)
    spent = await purse.spent()
  }
  return spent
}

/** What is spent once it stays the same for a while. */
export async function spentAtRest({ target }: CheckContext, purse: Purse): Promise<PicoUsd> {
  const endMs = performance.now() + target.config.settlingMs
  const restMs = Math.min(500, target.config.settlingMs / 4)
  let sum = await purse.spent()
  let sinceMs = performance.now()
  while (performance.now() < endMs && performance.now() - sinceMs < restMs) {
    await sleep(pollMs)
    const now = await purse.spent()
    if (now !== sum) sinceMs = performance.now()
    sum = now
  }
  return sum
}

/** Waits until something is spent, or the settling time is over. */
export async function spentAtLast(context: CheckContext, purse: Purse): Promise<PicoUsd> {
  await spentBeyond(context, purse, 0n)
  return spentAtRest(context, purse)
}

/** The usage of a key once it counts so many requests, or has counted none more for the settling time. */
export async function usageOf({ control, target }: CheckContext, keyId: string, requests: number): Promise<KeyUsage> {
  let usage = await control.keyUsage(keyId)
  let sinceMs = performance.now()
  while (usage.requests < requests && performance.now() - sinceMs < target.config.settlingMs) {
    await sleep(pollMs)
    const now = await control.keyUsage(keyId)
    if (now.requests > usage.requests) sinceMs = performance.now()
    usage = now
  }
  return usage
}

/** Holds what the purse has spent against a cost of several charges. */
export async function expectSpent(
  { expect }: CheckContext,
  purse: Purse,
  what: string,
  cost: PicoUsd,
  charges: number,
  shownBy?: Answer,
): Promise<void> {
  const { spent, agrees } = await purse.settled(cost, charges)
  expect(`USD spent on ${what}`, writeDecimal(spent), shownBy).satisfies(writeDecimal(cost), agrees)
}
