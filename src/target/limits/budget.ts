import { numberAt } from '../../json.ts'
import { type Answer, contentChunks, isStream, isSuccess, type StreamAnswer, textOf } from '../answer.ts'
import { briefTokens } from '../chat.ts'
import type { TargetConfig } from '../config.ts'
import type { Request, Spending, Used } from '../request.ts'
import type { RosterModel } from '../roster.ts'
import { Unsettled } from '../unsettled.ts'

/** What a run may use, and what it has used: no request goes that might take more than is left. */
export interface Budget {
  readonly spending: Spending
  /** Counts a request that is about to go, and holds what it may use. Throws `Unsettled` if that is not left. */
  begin(request: Request): void
  /** Counts the tokens that it did use, instead of those held. */
  end(request: Request, tokens: number): void
  /** Counts what was sent without `begin`. */
  count(used: Used): void
  /** From now on money is counted too, and so is what was used before; a model without a price costs what `model` does. */
  learnPrices(roster: readonly RosterModel[], model: string | undefined): void
}

type Limits = Pick<TargetConfig, 'requestsMax' | 'tokensMax' | 'costUsdMax' | 'nodes'>

const unlimited = Number.POSITIVE_INFINITY

/** What our own nodes serve costs nobody anything: it counts as used, and against no limit. */
export function createBudget({ requestsMax, tokensMax = unlimited, costUsdMax = unlimited, nodes }: Limits): Budget {
  const spending: Spending = { requests: 0, tokens: 0, cuts: 0, limited: 0, unavailable: 0 }
  const held = { tokens: 0, usd: 0 }
  const paid = { tokens: 0, usd: 0 }
  let usdPerToken: (model: string | undefined) => number = () => 0
  const refuseUnless = (isLeft: boolean, what: string): void => {
    if (!isLeft) throw new Unsettled('budget', `${what} is used up`)
  }
  const put = (place: typeof held, tokens: number, model: string | undefined): void => {
    if (model !== undefined && model === nodes?.model) return
    place.tokens += tokens
    place.usd += tokens * usdPerToken(model)
  }
  return {
    spending,
    begin(request) {
      const own = { tokens: 0, usd: 0 }
      put(own, tokensAtMost(request), request.model)
      refuseUnless(spending.requests < requestsMax, `--max-requests ${requestsMax}`)
      refuseUnless(paid.tokens + held.tokens + own.tokens <= tokensMax, `--max-tokens-total ${tokensMax}`)
      refuseUnless(paid.usd + held.usd + own.usd <= costUsdMax, `--max-cost ${costUsdMax}`)
      spending.requests += 1
      put(held, own.tokens, request.model)
    },
    end(request, tokens) {
      put(held, -tokensAtMost(request), request.model)
      put(paid, tokens, request.model)
      spending.tokens += tokens
    },
    count({ requests, tokens }) {
      spending.requests += requests
      put(paid, tokens, undefined)
      spending.tokens += tokens
    },
    learnPrices(roster, model) {
      const prices = new Map(roster.map((one) => [one.id, usdPerTokenOf(one)]))
      usdPerToken = (asked = model) => prices.get(asked ?? '') ?? prices.get(model ?? '') ?? 0
      paid.usd = paid.tokens * usdPerToken(model)
    },
  }
}

/** The dearer of a model's two prices, for one token; undefined where the list has none that can be believed. */
export function usdPerTokenOf({ promptPrice, completionPrice }: RosterModel): number | undefined {
  const price = Math.max(promptPrice ?? -1, completionPrice ?? -1)
  return price < 0 ? undefined : price / 1e6
}

/** English has about four characters a token, and more of JSON. */
const charsPerToken = 4
/** Nobody's hidden prompt is longer: a larger count is a mistake in `usage`, which must not end the run. */
const hiddenTokensMax = 10_000

/** As `usage` says; where it says nothing, or nothing that can be, what the texts look like. */
export function tokensOf({ body = '' }: Request, answer: Answer | StreamAnswer): number {
  if (!isSuccess(answer)) return 0
  const replies = isStream(answer) ? answer.chunks.map(({ json }) => json) : [answer.json]
  const told = replies.map((json) => numberAt(json, 'usage', 'total_tokens')).findLast((count) => count !== undefined)
  const text = textOf(answer)
  const isCredible = told !== undefined && told >= 0 && told <= body.length + text.length + hiddenTokensMax
  if (isCredible) return told
  const chunks = isStream(answer) ? contentChunks(answer).length : 0
  return inTokens(lengthOf(body)) + Math.max(chunks, inTokens(text.length))
}

/** The tokens of a raw conversation: those that its replies report, and one for each chunk of a stream. */
export function tokensIn(received: string): number {
  const told = [...received.matchAll(/"total_tokens":\s*(\d{1,6})\b/g)].map(([, count]) => Number(count))
  const chunks = [...received.matchAll(/^data:.*"delta"/gm)].length
  return told.reduce((sum, count) => sum + count, chunks)
}

/** What a request may use; a reply that nothing limits may take more. */
function tokensAtMost({ method, body = '', replyTokens = method === 'POST' ? briefTokens : 0 }: Request): number {
  return inTokens(lengthOf(body)) + replyTokens
}

/** White space around the value is no part of a prompt. */
function lengthOf(body: string | Uint8Array): number {
  return typeof body === 'string' ? body.trim().length : body.length
}

function inTokens(chars: number): number {
  return Math.ceil(chars / charsPerToken)
}
