import type { CheckContext } from '../check/context.ts'
import { finding, inTurn, untilRight } from '../repeat/repeat.ts'
import { rules } from '../repeat/rules.ts'
import { type Answer, isSuccess } from '../target/answer.ts'
import { chatRequest } from '../target/chat.ts'

/** A broken connection and a 503 say nothing about a limit. */
export const saysSomething = ({ status }: Answer): boolean => status !== undefined && status !== 503

/**
 * Whether a key is let through. Asking again outlasts a refusal that has nothing to do with the key; where the main key
 * is refused at the same moment, or the target is too busy, nothing can be said.
 */
export async function isLetThrough({ send, model, target, undecidable }: CheckContext, key: string): Promise<boolean> {
  let last: Answer | undefined
  // Sent at once: waiting for the requests of other checks would give a limit time to pass.
  const body = { max_tokens: 1 }
  const isRefused = async (): Promise<boolean> => {
    last = await send(chatRequest(model, body, { key, burst: true }))
    return !isSuccess(last)
  }
  const isMain = key === target.config.keys.main
  const isMainRefused = async (): Promise<boolean> =>
    !isMain && !isSuccess(await send(chatRequest(model, body, { burst: true })))
  const found = await finding(rules.letThrough, isRefused, isMainRefused)
  if (found === 'chance' || (last !== undefined && !saysSomething(last)))
    throw undecidable('requests were refused for the moment, whatever their key')
  return found === 'right'
}

/** Statuses of requests sent one after the other. Undecidable where the target was too busy to refuse any by a limit. */
export async function statusesInTurn(context: CheckContext, key: string, count: number, stream = false) {
  const { send, sendStream, model, undecidable } = context
  const ask = (): Promise<Answer> =>
    stream
      ? sendStream(chatRequest(model, { max_tokens: 1, stream: true }, { key }))
      : send(chatRequest(model, { max_tokens: 1 }, { key }))
  const answers = await inTurn(count, () => untilRight(rules.letThrough, ask, saysSomething))
  const statuses = answers.map(({ status }) => status)
  if (limited(statuses) === 0 && !answers.every(saysSomething))
    throw undecidable('requests were refused for the moment')
  return statuses
}

/** How many of these were refused by a limit. */
export const limited = (statuses: readonly (number | undefined)[]): number =>
  statuses.filter((status) => status === 429).length
