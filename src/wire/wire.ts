import type { Exchange, SentRequest } from './transcript.ts'

/** What to do after more bytes of a body: read on, give the end this long to come, or leave at once: it is enough, or too much. */
export type Appetite = 'more' | { readonly endWithinMs: number } | 'leave' | 'too-long'

export interface SendOptions {
  /** Silence on the exchange after which it ends as `timeout`. */
  readonly silenceMsMax: number
  /** Longest duration of the whole exchange, however busy. */
  readonly durationMsMax: number
  /** Most bytes of a body that are read; the exchange then ends as `too-long`. */
  readonly bytesMax?: number
  /** Whether only the ends of a long body are kept, for whoever reads it while it comes. */
  readonly keepsEnds?: boolean
  /** Called with each piece of the body, to leave a stream early or to bound its end. */
  readonly onBytes?: (bytes: Uint8Array, atMs: number) => Appetite
}

/** Sends requests, each on a connection that it has to itself, and records every byte that comes back. */
export interface Wire {
  send(request: SentRequest, options: SendOptions): Promise<Exchange>
  close(): Promise<void>
}
