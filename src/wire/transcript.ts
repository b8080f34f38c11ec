/** Header names as sent or received, in wire order; names may repeat. */
export type HeaderList = readonly (readonly [name: string, value: string])[]

export interface SentRequest {
  readonly method: string
  readonly url: string
  readonly headers: HeaderList
  readonly body?: string | Uint8Array
  /** Where it is not 1.1. */
  readonly version?: '1.0'
  /** Where the client left without waiting for an answer. */
  readonly leavesAfterMs?: number
}

/** Bytes of a body and when they came, in milliseconds since the request was sent. */
export interface Arrival {
  readonly bytes: Uint8Array
  readonly atMs: number
}

/**
 * How an exchange ended: the other side finished it, cut it, was silent for too long, could not be reached, or we
 * stopped reading, because we had seen enough (`left`) or because it was longer than any reply to the request (`too-long`).
 */
export type Ending = 'complete' | 'reset' | 'timeout' | 'unreachable' | 'left' | 'too-long'

/** The middle of a body of which only the two ends were kept. */
export interface Omission {
  /** The length of the first end. */
  readonly after: number
  readonly bytes: number
  /** Of all that was read of the body, in hexadecimal. */
  readonly sha256: string
}

/** One request and everything that came back, with arrival times. */
export interface Exchange {
  readonly id: number
  readonly request: SentRequest
  /** Unix milliseconds. */
  readonly sentAt: number
  readonly head?: { readonly status: number; readonly headers: HeaderList; readonly atMs: number }
  readonly arrivals: readonly Arrival[]
  /** What is missing among the arrivals. */
  readonly omitted?: Omission
  readonly ending: Ending
  readonly endedAtMs: number
  /** The client's own words for an ending that is not `complete`. */
  readonly problem?: string
}

export function bodyBytes({ arrivals }: Pick<Exchange, 'arrivals'>): Buffer {
  return Buffer.concat(arrivals.map(({ bytes }) => bytes))
}

/** How many bytes of the body were read. */
export function bodyLength({ arrivals, omitted }: Pick<Exchange, 'arrivals' | 'omitted'>): number {
  return arrivals.reduce((sum, { bytes }) => sum + bytes.length, omitted?.bytes ?? 0)
}

/** The first value of a header, by its case-insensitive name. */
export function headerOf({ head }: Pick<Exchange, 'head'>, name: string): string | undefined {
  return head?.headers.find(([key]) => key.toLowerCase() === name)?.[1]
}

/** The media type without its parameters, in lower case. */
export function mediaType(exchange: Pick<Exchange, 'head'>): string | undefined {
  return headerOf(exchange, 'content-type')?.split(';')[0]?.trim().toLowerCase()
}
