import type { Part } from './parts.ts'

export interface Head {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
}

/**
 * What happens when all parts are out: end the body, say nothing more, reset the connection, close it in the middle
 * of the body, or fill a line forever.
 */
export type Ending = 'end' | 'hang' | 'reset' | 'close' | 'fill'

/** A whole reply with all its times, settled when its request arrives. */
export interface ReplyPlan {
  /** Absent when the reply ends before its head. */
  readonly head?: Head
  /** Can be iterated only once. */
  readonly parts: Iterable<Part>
  readonly ending: Ending
  /** When the ending is due, from the request's arrival. */
  readonly endAtMs: number
  /** Whether each part is written separately. */
  readonly apart: boolean
}

/** A JSON reply that is due at once. */
export function jsonPlan(status: number, body: unknown, headers: Head['headers']): ReplyPlan {
  const bytes = Buffer.from(JSON.stringify(body))
  const all = { ...headers, 'content-length': String(bytes.length) }
  return {
    head: { status, headers: all },
    parts: [{ atMs: 0, bytes, chunks: 0 }],
    ending: 'end',
    endAtMs: 0,
    apart: false,
  }
}

/** Never a byte of an answer. */
export const silence: ReplyPlan = { parts: [], ending: 'hang', endAtMs: 0, apart: false }

/** The connection breaks as soon as it is used. */
export const breakdown: ReplyPlan = { parts: [], ending: 'reset', endAtMs: 0, apart: false }
