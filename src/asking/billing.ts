import type { CheckContext } from '../check/context.ts'
import { type PicoUsd, tokensCost, writeDecimal } from '../contract/price.ts'
import { at, numberAt } from '../json.ts'
import { eventually } from '../repeat/eventually.ts'
import type { Answer, StreamAnswer } from '../target/answer.ts'
import type { ChatBody } from '../target/chat.ts'
import type { KeyUsage } from '../target/control/answers.ts'
import { Unsettled } from '../target/unsettled.ts'
import type { TestAccount } from './test-account.ts'

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

/** The token counts in a stream. */
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
    throw new Unsettled('text', 'the reply shows no usage, so its cost is unknown')
  return tokensCost(prompt, listed.promptPrice) + tokensCost(completion, listed.completionPrice)
}

/** What the account has spent, once it is more than `cost` or the settling time is over. */
export async function spentBeyond({ target }: CheckContext, account: TestAccount, cost: PicoUsd): Promise<PicoUsd> {
  return eventually({ withinMs: target.config.settlingMs }, account.spent, (spent) => spent > cost)
}

/** What is spent, once that stays the same for a while. */
export async function spentAtRest({ target }: CheckContext, account: TestAccount): Promise<PicoUsd> {
  const { settlingMs } = target.config
  return eventually({ withinMs: settlingMs }, account.spent, atRest(Math.min(500, settlingMs / 4)))
}

/** Waits until something is spent, or the settling time is over. */
export async function spentAtLast(context: CheckContext, account: TestAccount): Promise<PicoUsd> {
  await spentBeyond(context, account, 0n)
  return spentAtRest(context, account)
}

/** A key's usage, once it counts this many requests, or has not changed during the settling time. */
export async function usageOf({ control, target }: CheckContext, keyId: string, requests: number): Promise<KeyUsage> {
  const isAtRest = atRest<number>(target.config.settlingMs)
  return eventually(
    { withinMs: Number.POSITIVE_INFINITY },
    () => control.keyUsage(keyId),
    (usage) => usage.requests >= requests || isAtRest(usage.requests),
  )
}

/** Whether a polled value has stayed the same for this many milliseconds. */
function atRest<T>(restMs: number): (seen: T) => boolean {
  let last: T | undefined
  let sinceMs = 0
  return (seen) => {
    if (last === undefined || seen !== last) sinceMs = performance.now()
    last = seen
    return performance.now() - sinceMs >= restMs
  }
}

/** Expects the account to have spent the cost of several charges. */
export async function expectSpent(
  { expect }: CheckContext,
  account: TestAccount,
  what: string,
  cost: PicoUsd,
  charges: number,
  shownBy?: Answer,
): Promise<void> {
  const { spent, agrees } = await account.settled(cost, charges)
  expect(`USD spent on ${what}`, writeDecimal(spent), shownBy).satisfies(writeDecimal(cost), agrees)
}
