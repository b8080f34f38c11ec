import type { CheckContext } from '../../check/context.ts'
import { outages } from '../../check/outlast.ts'
import { eventually } from '../../repeat/eventually.ts'
import type { Answer } from '../../target/answer.ts'
import { chatRequest, unstreamed } from '../../target/chat.ts'
import { outcome } from '../../target/settle.ts'
import { Unsettled } from '../../target/unsettled.ts'

/** Whether an answer may be that of a gateway which serves nobody for the moment. */
export function isOut({ status = 0 }: Answer): boolean {
  return status === 503 || outages.has(status)
}

/**
 * The answer, or that of `askAgain` once the gateway is open. One that another check has closed, or that rests its nodes because of it,
 * refuses a plain request as well: nothing is learnt about this request until that is served.
 */
export async function onceOpen<A extends Answer>(
  { prepared, send, target }: CheckContext,
  answer: A,
  askAgain: (() => Promise<A>) | undefined,
): Promise<A> {
  const { model } = prepared
  if (model === undefined) return answer
  const isClosed = async (): Promise<boolean> =>
    isOut(await send(chatRequest(model, unstreamed(prepared), { burst: true })))
  if (!(await isClosed())) return answer
  const withinMs = askAgain === undefined ? 0 : Math.min(target.config.settlingMs, target.remainingMs())
  const staysClosed = await eventually({ withinMs, everyMs: 500 }, isClosed, (closed) => !closed)
  const later = staysClosed ? undefined : await askAgain?.()
  if (later !== undefined && !(isOut(later) && (await isClosed()))) return later
  throw new Unsettled('target', `${outcome(answer)}; a plain request sent beside it failed too`)
}
