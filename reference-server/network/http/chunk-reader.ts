import { createParser } from 'eventsource-parser'
import type { FinishReason } from '../node.ts'
import { NodeFailure } from '../node-failure.ts'
import { readFinishReason } from './finish-reason.ts'

/** Reads the stream of a node, wherever its bytes are cut. */
export interface ChunkReader {
  /** The fragments that these bytes complete. */
  push(bytes: Uint8Array): readonly string[]
  /** Whether the end marker has come, an error event, or what is not a chunk: nothing after it matters. */
  isOver(): boolean
  /** Call when it is over or the body has ended. Throws `NodeFailure` when the reply is not whole. */
  end(): FinishReason
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

/** A whole reply of 131,072 tokens in one event, every letter escaped, is shorter. */
const EVENT_LENGTH_MAX = 2 * 1024 * 1024

export function chunkReader(): ChunkReader {
  const decoder = new TextDecoder('utf-8')
  let fragments: string[] = []
  let finishReason: unknown
  let isDone = false
  /** Kept until what came before it is read, be it in the same bytes. */
  let failure: NodeFailure | undefined
  /** How much of an event has come that has not ended. */
  let openLength = 0
  const parser = createParser({
    onComment() {
      openLength = 0
    },
    onEvent({ event: name, data }) {
      openLength = 0
      if (isDone || failure !== undefined) return
      if (data.trim() === '[DONE]') {
        isDone = true
        return
      }
      const event = readEvent(data)
      if (event === undefined) {
        failure = new NodeFailure('broken', 'the node sent an event that is not a chunk')
        return
      }
      if (name === 'error' || isError(event)) {
        failure = new NodeFailure('broken', 'the node sent an error event')
        return
      }
      const choice = event.choices?.[0]
      const content = choice?.delta?.content
      if (typeof content === 'string') fragments.push(content)
      finishReason = choice?.finish_reason ?? finishReason
    },
  })
  return {
    push(bytes) {
      const text = decoder.decode(bytes, { stream: true })
      openLength += text.length
      parser.feed(text)
      if (openLength > EVENT_LENGTH_MAX) failure ??= new NodeFailure('broken', 'the node sent an event without an end')
      const complete = fragments
      fragments = []
      return complete
    },
    isOver: () => isDone || failure !== undefined,
    end() {
      if (failure !== undefined) throw failure
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

function readEvent(data: string): Event | undefined {
  try {
    const value: unknown = JSON.parse(data)
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined
  }
}
