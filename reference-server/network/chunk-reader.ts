import { createParser } from 'eventsource-parser'
import type { FinishReason } from './node.ts'
import { NodeFailure } from './node-failure.ts'

/** Reads the stream of a node, wherever its bytes are cut. */
export interface ChunkReader {
  /** The fragments that these bytes complete. Throws `NodeFailure` for an error event and for what is not a chunk. */
  push(bytes: Uint8Array): readonly string[]
  /** Call when the body has ended. Throws `NodeFailure` when the reply is not whole. */
  end(): FinishReason
  /** Whether the end marker has come: nothing after it matters. */
  readonly isDone: boolean
}

interface Chunk {
  readonly error?: unknown
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
    onEvent({ data }) {
      if (isDone) return
      if (data.trim() === '[DONE]') {
        isDone = true
        return
      }
      const { error, choices = [] } = readChunk(data)
      if (error !== undefined && error !== null) throw new NodeFailure('broken', 'the node sent an error event')
      const [choice] = choices
      const content = choice?.delta?.content
      if (typeof content === 'string') fragments.push(content)
      finishReason = choice?.finish_reason ?? finishReason
    },
  })
  return {
    get isDone() {
      return isDone
    },
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
      return finishReason === 'length' ? 'length' : 'stop'
    },
  }
}

function readChunk(data: string): Chunk {
  try {
    const value: unknown = JSON.parse(data)
    if (typeof value === 'object' && value !== null) return value
  } catch {
    // Falls through to the same failure as a value that is not an object.
  }
  throw new NodeFailure('broken', 'the node sent an event that is not a chunk')
}
