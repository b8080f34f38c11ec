import { setTimeout } from 'node:timers/promises'
import type { Call, ChunkParts, StreamSink, Wrap } from '../../reference-server/gateway/seams.ts'
import { asJson, firstChoice, type Json } from './json.ts'
import { eachFragment } from './words.ts'

/** Whether a chunk is the one that ends a stream. */
export const isLastChunk = ({ finishReason }: { readonly finishReason?: unknown }): boolean =>
  finishReason !== undefined

/** Frames the data of each event differently. */
export const framingEvents = (change: (data: string) => string): Wrap => ({ frame: () => (data) => change(data) })

/** Ends streams with another text than the frame of [DONE]. */
export const endingStreamsWith = (text: string): Wrap => ({ doneFrame: () => () => text })

export const isStream = (call: Call): boolean => call.body?.stream === true

export const isWhole = (call: Call): boolean => !isStream(call)

/** Slows streams that may be so long after their beginning. */
export const slowStreamsFrom = (tokens: number): Wrap => ({
  generate: (real) => (node, job, signal, call) =>
    eachFragment(real(node, job, signal, call), async (fragment, index) => {
      if (index > 25 && job.tokensMax >= tokens && isStream(call)) await setTimeout(4)
      return [fragment]
    }),
})

/** So that clients can leave them in the middle. */
export const slowStreams: Wrap = slowStreamsFrom(300)

/** Changes the chunks of streams. */
export function chunks(change: (chunk: Json, parts: ChunkParts, call: Call) => unknown): Wrap {
  return { chunk: (real) => (parts, call) => change(asJson(real(parts, call)), parts, call) }
}

/** Changes the one choice of a chunk. */
export function chunkChoices(change: (choice: Json, parts: ChunkParts, call: Call) => unknown): Wrap {
  return chunks((chunk, parts, call) => ({
    ...chunk,
    choices: firstChoice(chunk, (choice) => change(choice, parts, call)),
  }))
}

/** Changes the fragments that a node sends for a stream. */
export function changingStreamFragments(change: (text: string, index: number, call: Call) => readonly string[]): Wrap {
  return {
    generate: (real) => (node, job, signal, call) =>
      eachFragment(real(node, job, signal, call), (fragment, index) =>
        isStream(call) ? change(fragment.text, index, call).map((text) => ({ ...fragment, text })) : [fragment],
      ),
  }
}

/** Changes each data event of a stream, the last one too. */
export function frames(change: (frame: string, call: Call) => string): Wrap {
  return {
    frame: (real) => (data, call) => change(real(data, call), call),
    doneFrame: (real) => (call) => change(real(call), call),
  }
}

/** Puts something before the first event of each stream. */
export function beforeFirstFrame(made: (first: unknown, frame: (value: unknown) => string) => string): Wrap {
  const begun = new WeakSet<Call>()
  return {
    frame: (real) => (data, call) => {
      const frame = real(data, call)
      if (begun.has(call)) return frame
      begun.add(call)
      return made(JSON.parse(data), (value) => real(JSON.stringify(value), call)) + frame
    },
  }
}

/** Changes how the bytes of a stream are written. */
export function changingSink(change: (sink: StreamSink, call: Call) => Partial<StreamSink>): Wrap {
  return {
    openStream: (real) => (head, call) => {
      const sink = real(head, call)
      return { ...sink, ...change(sink, call) }
    },
  }
}

/** Changes the bytes of each write of a stream. */
export function streamBytes(change: (bytes: Buffer) => Buffer): Wrap {
  return changingSink((sink) => ({ write: (part) => sink.write(change(Buffer.from(part))) }))
}
