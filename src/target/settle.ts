import { setTimeout as sleep } from 'node:timers/promises'
import { headerOf } from '../wire/transcript.ts'
import { type Answer, isDecisive } from './answer.ts'
import { retryAfterMs } from './pacer.ts'
import { Unsettled } from './unsettled.ts'

const repeatsMax = 3
const pauseMs = [100, 400, 1200] as const
const retryAfterMsMax = 15_000

/**
 * The answer once it says something. A 429, a 503, a cut or a silence is repeated, each time beside a control request
 * that is known to be good: where every repeat fails and every control succeeds, the answer counts as it is; where a
 * control fails too, nothing was learnt about this request and `Unsettled` is thrown.
 */
export async function settle<A extends Answer>(ask: () => Promise<A>, control: () => Promise<boolean>): Promise<A> {
  let answer = await ask()
  // A silence has already cost its whole time limit: one repeat must do.
  const repeats = answer.exchange.ending === 'timeout' ? 1 : repeatsMax
  for (let turn = 0; turn < repeats && !isDecisive(answer); turn += 1) {
    const askedMs = retryAfterMs(headerOf(answer.exchange, 'retry-after'), Date.now())
    await sleep(Math.min(askedMs ?? pauseMs[turn] ?? 0, retryAfterMsMax))
    answer = await ask()
    if (isDecisive(answer)) return answer
    if (!(await control())) throw new Unsettled('target', `${outcome(answer)}, and so did a plain request beside it`)
  }
  return answer
}

/** What an answer came to, in a few words. */
export function outcome({ status, exchange }: Answer): string {
  if (status === undefined) return `no answer (${exchange.ending}: ${exchange.problem ?? 'no reason given'})`
  return exchange.ending === 'complete' ? `status ${status}` : `status ${status}, then ${exchange.ending}`
}
