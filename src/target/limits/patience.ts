import type { Request } from '../request.ts'

/** What was measured of a target's pace. */
interface Pace {
  /** The silence of a request whose reply is short, in milliseconds. */
  readonly silenceMsMax: number
  readonly msPerToken: number
}

/** How long a target may be silent on a request before it is given up. */
export interface Patience {
  /** The silence that a request is granted in milliseconds; its tokens are owed until it ends. */
  begin(request: Request): number
  end(request: Request): void
  adapt(measured: Pace): void
  /** The silence of a request whose reply is short, in milliseconds. */
  readonly silenceMsMax: number
}

/** A reply is given this many times the time that its tokens should take, a minute at most. */
const writingFactor = 2
const writingMsMax = 60_000

/**
 * A reply that is not streamed is silent while it is written, and where a target writes one at a time also while the
 * others are: a request is granted the time that the tokens of all requests under way take.
 */
export function createPatience(leastMs: number): Patience {
  let silenceMsMax = leastMs
  let msPerToken = 0
  let owedTokens = 0
  return {
    begin({ patienceMs, replyTokens = 0 }) {
      owedTokens += replyTokens
      if (patienceMs !== undefined) return patienceMs
      return Math.max(silenceMsMax, Math.min(writingMsMax, writingFactor * owedTokens * msPerToken))
    },
    end({ replyTokens = 0 }) {
      owedTokens -= replyTokens
    },
    adapt(measured) {
      silenceMsMax = measured.silenceMsMax
      msPerToken = measured.msPerToken
    },
    get silenceMsMax() {
      return silenceMsMax
    },
  }
}
