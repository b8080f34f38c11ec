import { setTimeout as sleep } from 'node:timers/promises'
import type { CheckContext } from '../check/context.ts'
import { decimalsOf, lastUnit, type PicoUsd, readDecimal } from '../contract/price.ts'
import { eventually } from '../repeat/eventually.ts'
import { untilRight } from '../repeat/repeat.ts'
import { rules } from '../repeat/rules.ts'
import {
  type Answer,
  isClientError,
  isDecisive,
  isRefusedForNow,
  isSuccess,
  type StreamAnswer,
} from '../target/answer.ts'
import { type ChatBody, chatRequest } from '../target/chat.ts'
import type { KeyTerms } from '../target/control/control.ts'
import type { StreamReading } from '../target/request.ts'
import { outcome } from '../target/settle.ts'
import { Unsettled } from '../target/unsettled.ts'
import { retryAfterMs } from '../wire/retry-after.ts'
import { headerOf } from '../wire/transcript.ts'

/** An account and a key for one check, so that every cent that moves is this check's. */
export interface TestAccount {
  readonly accountId: string
  readonly keyId: string
  readonly key: string
  /**
   * One request with this key that gets a 2xx. A temporary refusal is asked again, because it costs nothing; a cut leaves
   * the check undecided, because nobody knows whether it cost something.
   */
  pay(body?: ChatBody, model?: string): Promise<Answer>
  payStream(body?: ChatBody, reading?: StreamReading): Promise<StreamAnswer>
  /** Adds credit. */
  credit(amountUsd: string): Promise<void>
  /** Another key of the same account. */
  anotherKey(terms?: Partial<KeyTerms>): Promise<{ readonly id: string; readonly key: string }>
  /** What the account has spent by now, as it shows. */
  spent(): Promise<PicoUsd>
  /** What it has spent, once that agrees with `cost` after `charges` charges or the settling time is over. */
  settled(cost: PicoUsd, charges: number): Promise<Settled>
}

interface Settled {
  readonly spent: PicoUsd
  /** Whether `spent` is the cost, within one unit of the last decimal shown for each charge. */
  readonly agrees: boolean
}

/** Its many decimals show how many the gateway keeps. */
const creditUsd = '1.000000000001'
const pauseMs = 100
const pauseMsMax = 5000
/** A second charge for the same request may come a moment after the first. */
export const secondChargeMs = 60

type Means = Pick<CheckContext, 'control' | 'target' | 'model' | 'nonce' | 'secret' | 'send' | 'sendStream'>

/** Opens an account with credit and a key; both end with the check. */
export async function openTestAccount(
  means: Means,
  terms: Partial<KeyTerms> = {},
  credit = creditUsd,
): Promise<TestAccount> {
  const { control, secret, nonce, send, sendStream } = means
  const { settlingMs } = means.target.config
  const accountId = await control.openAccount(`assay ${nonce()}`, credit)
  const newKey = async (own: Partial<KeyTerms>) => {
    const made = await control.createKey(accountId, { name: `assay ${nonce()}`, ...own })
    return { id: made.id, key: secret(made.key, '$NEW_KEY') }
  }
  const { id: keyId, key } = await newKey(terms)
  let decimals = 0
  let paidIn = 0n
  const balance = async (): Promise<PicoUsd> => {
    const { balanceUsd } = await control.account(accountId)
    decimals = Math.max(decimals, decimalsOf(balanceUsd))
    const sum = readDecimal(balanceUsd)
    if (sum === undefined)
      throw new Unsettled('target', `the control API shows a balance of ${balanceUsd.slice(0, 40)}`)
    return sum
  }
  paidIn = await balance()
  const spent = async (): Promise<PicoUsd> => paidIn - (await balance())

  return {
    accountId,
    keyId,
    key,
    spent,
    pay: (body = {}, model = means.model) => granted(() => send(chatRequest(model, body, { key }))),
    payStream: (body = {}, reading = {}) =>
      granted(async () => {
        const ask = (asked: ChatBody) =>
          sendStream(chatRequest(means.model, { ...asked, stream: true }, { key }), reading)
        const { stream_options: options, ...bare } = body
        const stream = await ask(body)
        // The contract does not name the field, so a gateway that refuses it is asked without it. A refusal costs nothing.
        const isRefused = options !== undefined && isClientError(stream) && stream.status !== 429
        return isRefused ? ask(bare) : stream
      }),
    async credit(amountUsd) {
      await control.credit(accountId, amountUsd)
      paidIn += readDecimal(amountUsd) ?? 0n
    },
    anotherKey: (own = {}) => newKey(own),
    async settled(cost, charges) {
      const agrees = (sum: PicoUsd): boolean => {
        const tolerance = lastUnit(decimals) * BigInt(charges + 1)
        return sum - cost <= tolerance && cost - sum <= tolerance
      }
      let sum = await eventually({ withinMs: settlingMs }, spent, agrees)
      if (agrees(sum)) {
        await sleep(Math.min(secondChargeMs, settlingMs))
        sum = await spent()
      }
      return { spent: sum, agrees: agrees(sum) }
    },
  }
}

async function granted<A extends Answer>(ask: () => Promise<A>): Promise<A> {
  let last: A | undefined
  const answer = await untilRight(
    rules.paid,
    async (turn) => {
      if (last !== undefined) {
        const askedMs = retryAfterMs(headerOf(last.exchange, 'retry-after'), Date.now())
        await sleep(Math.min(askedMs ?? pauseMs * turn, pauseMsMax))
      }
      last = await ask()
      return last
    },
    (answer) => !isRefusedForNow(answer),
  )
  if (isSuccess(answer) && isDecisive(answer)) return answer
  throw new Unsettled('target', `a paid request ended with ${outcome(answer)}, so its cost is unknown`)
}
