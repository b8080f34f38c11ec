import type { PicoUsd } from '../ledger/money.ts'

/** How a request ended: whole, refused with a 4xx, failed, or left by the client before its end. */
export const outcomes = ['ok', 'refused', 'failed', 'left'] as const
export type Outcome = (typeof outcomes)[number]

/** A request that is over. Nothing of what was said is kept. */
export interface LoggedRequest {
  /** Rises with time. Where the request is in the books, it is their name for it. */
  readonly id: string
  /** When it began, in milliseconds since 1970. */
  readonly at: number
  readonly accountId: string
  readonly keyId: string
  readonly model?: string
  readonly outcome: Outcome
  readonly status: number
  /** The code of the error that it ended with. */
  readonly code?: string
  /** Of a stream. */
  readonly firstTokenMs?: number
  readonly durationMs: number
}

/** A request with what the books say of it: absent where nothing was charged. */
export interface BookedRequest extends LoggedRequest {
  readonly promptTokens?: number
  readonly completionTokens?: number
  readonly usd?: PicoUsd
}

/** Which requests to find. An absent field lets all of them through. */
export interface RequestFilter {
  readonly id?: string
  readonly keyId?: string
  readonly model?: string
  readonly outcome?: Outcome
}

/** The requests of the last days. The log is for people who look: it is not as durable as the books, which it points into. */
export interface RequestLog {
  logRequests(requests: readonly LoggedRequest[]): Promise<void>
  /** Those of an account below the id `before`, the newest first. */
  requests(
    accountId: string,
    filter: RequestFilter,
    before: string | undefined,
    limit: number,
  ): Promise<readonly BookedRequest[]>
  /** Forgets all that began before a moment in milliseconds since 1970. */
  forgetRequests(before: number): Promise<void>
}

let latest = { unixMs: Number.NaN, beginning: '' }

/**
 * The beginning of the ids of a moment: ids rise with time, so that neighbours in time are neighbours in an index. The latest one is
 * kept, because many requests begin in the same millisecond.
 */
export function requestIdAt(unixMs: number): string {
  if (unixMs !== latest.unixMs) latest = { unixMs, beginning: `req_${unixMs.toString(16)}` }
  return latest.beginning
}
