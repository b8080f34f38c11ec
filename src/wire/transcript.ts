/** Header names as sent or received, in wire order; names may repeat. */
export type HeaderList = readonly (readonly [name: string, value: string])[]

export interface SentRequest {
  readonly method: string
  readonly url: string
  readonly headers: HeaderList
  readonly body?: string | Uint8Array
}

/** Bytes of a body and when they came, in milliseconds since the request was sent. */
export interface Arrival {
  readonly bytes: Uint8Array
  readonly atMs: number
}

/**
 * How an exchange ended: the other side finished it, cut it, was silent for too long, could not be reached, or we
 * stopped reading (`left`).
 */
export type Ending = 'complete' | 'reset' | 'timeout' | 'unreachable' | 'left'

/** One request and everything that came back, with arrival times. */
export interface Exchange {
  readonly id: number
  readonly request: SentRequest
  /** Unix milliseconds. */
  readonly sentAt: number
  readonly head?: { readonly status: number; readonly headers: HeaderList; readonly atMs: number }
  readonly arrivals: readonly Arrival[]
  readonly ending: Ending
  readonly endedAtMs: number
  /** The client's own words for an ending that is not `complete`. */
  readonly problem?: string
}

export function bodyBytes({ arrivals }: Pick<Exchange, 'arrivals'>): Buffer {
  return Buffer.concat(arrivals.map(({ bytes }) => bytes))
}

/** When the byte just before `offset` came; for a frame's end, when the frame was complete. */
export function arrivedAtMs({ arrivals }: Pick<Exchange, 'arrivals'>, offset: number): number {
  let seen = 0
  for (const { bytes, atMs } of arrivals) {
    seen += bytes.length
    if (seen >= offset) return atMs
  }
  return arrivals.at(-1)?.atMs ?? 0
}

/** The first value of a header, by its case-insensitive name. */
export function headerOf({ head }: Pick<Exchange, 'head'>, name: string): string | undefined {
  return head?.headers.find(([key]) => key.toLowerCase() === name)?.[1]
}

/** The media type without its parameters, in lower case. */
export function mediaType(exchange: Pick<Exchange, 'head'>): string | undefined {
  return headerOf(exchange, 'content-type')?.split(';')[0]?.trim().toLowerCase()
}
