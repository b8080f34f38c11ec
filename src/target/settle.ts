import { setTimeout as sleep } from 'node:timers/promises'
import { ruleFor, rules } from '../repeat/rules.ts'
import { retryAfterMs, retryAfterMsMax } from '../wire/retry-after.ts'
import { headerOf } from '../wire/transcript.ts'
import { type Answer, hasErrorFrame, isDecisive, isStream } from './answer.ts'
import { Unsettled } from './unsettled.ts'

/** Each silence costs its whole time limit, so two are enough. */
const silencesMax = 2
const pauseMs = [100, 400, 1200] as const

/** What a run knows of how steady its target is. */
export interface Steadiness {
  /** How many failures went away on a repeat: each makes chance more likely, so more repeats are needed. */
  passed: number
  /** Milliseconds left in the run: no pause is longer. */
  remainingMs(): number
}

/**
 * The first decisive answer. A 429, a 503, a cut or a silence is asked again, each time beside a control request that is
 * known to be good: if every repeat fails and every control succeeds, the answer counts as it is; if a control fails
 * too, nothing was learnt about this request and `Unsettled` is thrown. After a silence, and at the last repeat, both go
 * with nothing else in flight, and the control has to be about as fast as at the start of the run.
 */
export async function settle<A extends Answer>(
  ask: (alone: boolean) => Promise<A>,
  control: (alone: boolean) => Promise<boolean>,
  steadiness: Steadiness,
  isSettled: (answer: A) => boolean = isDecisive,
): Promise<A> {
  const repeats = ruleFor(rules.settled, steadiness.passed > 0).times - 1
  let answer = await ask(false)
  let controlsFailed = 0
  let silences = isSilence(answer) ? 1 : 0
  for (let turn = 0; turn < repeats && silences < silencesMax && !isSettled(answer); turn += 1) {
    const askedMs = retryAfterMs(headerOf(answer.exchange, 'retry-after'), Date.now())
    await sleep(
      Math.max(0, Math.min(askedMs ?? pauseMs[turn % pauseMs.length] ?? 0, retryAfterMsMax, steadiness.remainingMs())),
    )
    // What waits for the work of others is not silent by itself, and who has room for one request may refuse two.
    const alone = silences > 0 || turn === repeats - 1
    answer = await ask(alone)
    if (isSilence(answer)) silences += 1
    if (isSettled(answer)) {
      steadiness.passed += 1
      return answer
    }
    if (!(await control(alone))) controlsFailed += 1
  }
  if (controlsFailed > 0) throw new Unsettled('target', `${outcome(answer)}; a plain request sent beside it failed too`)
  return answer
}

function isSilence({ exchange }: Answer): boolean {
  return exchange.ending === 'timeout'
}

/** How an answer ended, in a few words. */
export function outcome(answer: Answer): string {
  const { status, exchange } = answer
  if (status === undefined) return `no answer (${exchange.ending}: ${exchange.problem ?? 'no reason given'})`
  if (isStream(answer) && hasErrorFrame(answer)) return `status ${status}, then an error event`
  if (exchange.ending === 'complete') return `status ${status}`
  return `status ${status}, ${exchange.ending === 'too-long' ? exchange.problem : `then ${exchange.ending}`}`
}
