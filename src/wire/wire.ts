import type { Exchange, SentRequest } from './transcript.ts'

/** What to do after more bytes of a body: read on, give the end this long to come, or leave at once. */
export type Appetite = 'more' | { readonly endWithinMs: number } | 'leave'

export interface SendOptions {
  /** Silence on the exchange after which it ends as `timeout`. */
  readonly silenceMsMax: number
  /** Longest duration of the whole exchange, however busy. */
  readonly durationMsMax: number
  /** Called with each piece of the body, to leave a stream early or to bound its end. */
  readonly onBytes?: (bytes: Uint8Array, atMs: number) => Appetite
}

/** Sends requests, each on a connection that it has to itself, and records every byte that comes back. */
export interface Wire {
  send(request: SentRequest, options: SendOptions): Promise<Exchange>
  close(): Promise<void>
}
