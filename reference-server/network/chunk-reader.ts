import { createParser } from 'eventsource-parser'
import { readFinishReason } from './finish-reason.ts'
import type { FinishReason } from './node.ts'
import { NodeFailure } from './node-failure.ts'

/** Reads the stream of a node, wherever its bytes are cut. */
export interface ChunkReader {
  /** The fragments that these bytes complete. Throws `NodeFailure` for an error event and for what is not a chunk. */
  push(bytes: Uint8Array): readonly string[]
  /** Call when the body has ended. Throws `NodeFailure` when the reply is not whole. */
  end(): FinishReason
  /** Whether the end marker has come: nothing after it matters. */
  isDone(): boolean
}

interface Event {
  readonly object?: unknown
  readonly error?: unknown
  readonly message?: unknown
  readonly detail?: unknown
  readonly choices?: readonly {
    readonly delta?: { readonly content?: unknown } | null
    readonly finish_reason?: unknown
  }[]
}

export function chunkReader(): ChunkReader {
  const decoder = new TextDecoder('utf-8')
  let fragments: string[] = []
  let finishReason: unknown
  let isDone = false
  const parser = createParser({
    onEvent({ event: name, data }) {
      if (isDone) return
      if (data.trim() === '[DONE]') {
        isDone = true
        return
      }
      const event = readEvent(data)
      if (name === 'error' || isError(event)) throw new NodeFailure('broken', 'the node sent an error event')
      const choice = event.choices?.[0]
      const content = choice?.delta?.content
      if (typeof content === 'string') fragments.push(content)
      finishReason = choice?.finish_reason ?? finishReason
    },
  })
  return {
    isDone: () => isDone,
    push(bytes) {
      parser.feed(decoder.decode(bytes, { stream: true }))
      const complete = fragments
      fragments = []
      return complete
    },
    end() {
      // A finish reason says as much as the end marker, which some servers leave out.
      if (!isDone && typeof finishReason !== 'string')
        throw new NodeFailure('broken', 'the stream of the node ended before its reply was whole')
      return readFinishReason(finishReason)
    },
  }
}

/** Servers word their errors differently, and some send [DONE] after them. What else has no choices is not an error. */
function isError({ object, error, message, detail, choices }: Event): boolean {
  if (error !== undefined && error !== null) return true
  return choices === undefined && (object === 'error' || typeof message === 'string' || detail !== undefined)
}

function readEvent(data: string): Event {
  try {
    const value: unknown = JSON.parse(data)
    if (typeof value === 'object' && value !== null) return value
  } catch {
    // Falls through to the same failure as a value that is not an object.
  }
  throw new NodeFailure('broken', 'the node sent an event that is not a chunk')
}
