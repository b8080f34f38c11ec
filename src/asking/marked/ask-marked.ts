import type { CheckContext } from '../../check/context.ts'
import { type Answer, isSuccess, type StreamAnswer } from '../../target/answer.ts'
import type { ChatBody } from '../../target/chat.ts'
import type { NodeRecord } from '../../target/nodes.ts'
import { allowRefusalOfLength } from '../../target/refused-limit.ts'
import { windowOf } from '../../target/window.ts'
import { withUsage } from '../billing.ts'
import { type Play, play } from '../nodes/scripted-nodes.ts'
import type { Comparison } from './comparison.ts'
import { bodyOf, expectedReplyTo, type MarkedExchange } from './marked-exchange.ts'
import { idOf, orderComparisons, replyComparisons } from './reply-comparisons.ts'
import { requestComparisons } from './request-comparisons.ts'

export type Mode = 'reply' | 'stream'

export const modes = ['reply', 'stream'] as const satisfies readonly Mode[]

/** An exchange as it went. */
export interface Relayed {
  readonly exchange: MarkedExchange
  readonly mode: Mode
  readonly sent: ChatBody
  readonly answer: Answer | StreamAnswer
}

/** Asks one marked request. Streams ask for usage where the gateway lets them. */
export async function askMarked(
  context: CheckContext,
  own: Play,
  exchange: MarkedExchange,
  mode: Mode,
  { prompt = own.prompt, burst }: { readonly prompt?: string; readonly burst?: true } = {},
): Promise<Relayed> {
  const sent = bodyOf(exchange, prompt)
  if (mode === 'reply') return { exchange, mode, sent, answer: await own.reply(sent, burst) }
  const asked = (await grantsUsage(context)) ? { ...sent, ...withUsage } : sent
  return { exchange, mode, sent, answer: await own.stream(asked, undefined, burst) }
}

/** Whether a stream may ask for usage: the contract does not name the field. */
function grantsUsage(context: CheckContext): Promise<boolean> {
  return context.once('whether a stream of our nodes may ask for usage', async () => {
    const { stream } = await play(context, { fragments: ['Fine', '.'] })
    return isSuccess(await stream({ max_tokens: 16, ...withUsage }))
  })
}

/** Compares what the nodes got with what the client sent. */
export function expectAsked(
  context: CheckContext,
  { exchange, sent, answer }: Relayed,
  records: readonly NodeRecord[],
  when: string,
): void {
  for (const { json } of records)
    expectSame(context, `at the node (${exchange.name}, ${when})`, requestComparisons(sent, json), answer)
}

/** Compares what the client got with what the node sent. */
export function expectAnswered(context: CheckContext, relayed: Relayed, when: string): void {
  const { exchange, mode, answer, sent } = relayed
  const name = `${mode} (${exchange.name}, ${when})`
  allowRefusalOfLength(answer, sent, windowOf(context.target.config, context.prepared))
  context.expect(`answer to a ${name}`, answer.status, answer).isStatus('2xx')
  expectSame(context, `of a ${name}`, replyComparisons(expectedReplyTo(exchange), answer), answer)
}

/** Replies have ids of their own, and longer ones count for more. */
export function expectApart(context: CheckContext, relayed: readonly Relayed[], when: string): void {
  const answers = relayed.map(({ answer }) => answer)
  const ids = answers.map(idOf)
  for (const mode of modes) {
    const [short, long] = ['one word', 'many words'].map((name) =>
      relayed.find(({ exchange, mode: own }) => own === mode && exchange.name === name),
    )
    if (short === undefined || long === undefined) continue
    const comparisons = orderComparisons(short.answer, long.answer)
    expectSame(context, `(${mode}, ${when})`, comparisons, short.answer)
  }
  context.expect(`different ids of ${ids.length} answers ${when}`, new Set(ids).size).is(ids.length)
}

/** Of two requests that differ only in how long their prompts are, the second counts more tokens for its prompt. */
export function expectLongerPrompt(context: CheckContext, one: Relayed, longer: Relayed, when: string): void {
  const comparisons = orderComparisons(one.answer, longer.answer, ['prompt_tokens'])
  expectSame(context, `of a ${longer.mode} (${longer.exchange.name}, ${when})`, comparisons, longer.answer)
}

export function expectSame(
  { expect }: CheckContext,
  where: string,
  comparisons: readonly Comparison[],
  answer: Answer | StreamAnswer,
): void {
  for (const { what, expected, actual } of comparisons) expect(`${what} ${where}`, actual, answer).is(expected)
}
