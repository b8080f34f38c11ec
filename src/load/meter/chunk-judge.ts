import { isUtf8 } from 'node:buffer'
import { mismatches } from '../../contract/schema.ts'
import { type StreamChunk, streamChunkSchema } from '../../contract/stream-chunk.ts'
import { isErrorEvent } from '../../target/answer.ts'
import type { Outcome } from '../figures/outcome.ts'
import type { Flight } from './flight.ts'

interface ParsedChunk extends StreamChunk {
  readonly error?: unknown
  readonly usage?: { readonly completion_tokens?: unknown; readonly prompt_tokens?: unknown } | null
}

/** Parses and judges chunks of one stream after another. What breaks the contract becomes the flight's outcome. */
export class ChunkJudge {
  private flight: Flight | undefined
  private id: string | undefined

  begin(flight: Flight): void {
    this.flight = flight
    this.id = undefined
  }

  /** Judges one chunk, and returns its text; undefined when it has none or is broken. `bytes` are those of its last line. */
  parse(data: string, bytes: Buffer): string | undefined {
    if (!isUtf8(bytes)) this.fail('framing', 'bytes that are not UTF-8')
    let chunk: ParsedChunk
    try {
      chunk = JSON.parse(data) as ParsedChunk
    } catch {
      this.fail('schema', 'an event whose data is not JSON')
      return undefined
    }
    if (isErrorEvent(chunk)) {
      this.fail('inBandError', messageOf(chunk.error ?? chunk))
      return undefined
    }
    const [mismatch] = mismatches(streamChunkSchema, chunk)
    if (mismatch !== undefined) {
      this.fail('schema', `a chunk breaks its schema: ${mismatch}`)
      return undefined
    }
    this.id ??= chunk.id
    if (chunk.id !== this.id) this.fail('schema', 'the id changed within the stream')
    this.readUsage(chunk.usage)
    return chunk.choices.map(({ delta }) => delta.content ?? '').join('')
  }

  /** The first failure counts; only an error that the stream itself declares replaces it, for it says more. */
  fail(outcome: Outcome, reason: string): void {
    const { flight } = this
    if (flight === undefined || (flight.outcome !== undefined && outcome !== 'inBandError')) return
    flight.outcome = outcome
    flight.reason = reason
  }

  private readUsage(usage: ParsedChunk['usage']): void {
    if (this.flight === undefined || typeof usage !== 'object' || usage === null) return
    if (typeof usage.completion_tokens === 'number') this.flight.completionTokens = usage.completion_tokens
    if (typeof usage.prompt_tokens === 'number') this.flight.promptTokens = usage.prompt_tokens
  }
}

function messageOf(error: unknown): string {
  const message = typeof error === 'object' && error !== null && 'message' in error ? error.message : error
  return (typeof message === 'string' ? message : JSON.stringify(message)).slice(0, 200)
}
