import type { Dialect } from '../dialect/dialect.ts'
import type { Script, Wire } from '../script/script.ts'
import { headless, isHeadless, lowerCased } from './body-plan.ts'
import { commentText, eventText, jsonText } from './event-bytes.ts'
import { cutParts, type Part } from './parts.ts'
import type { Chunk } from './reply-chunks.ts'
import type { ReplyPlan } from './reply-plan.ts'
import { courseOf, type Frame } from './stream-course.ts'

interface Stream {
  readonly status: number
  readonly chunks: readonly Chunk[]
  /** When each fragment is due. */
  readonly timesMs: readonly number[]
}

/** The plan of a reply as a stream of events. */
export function streamPlan({ status, chunks, timesMs }: Stream, script: Script, dialect: Dialect): ReplyPlan {
  const { fault, headers } = script
  const wire = { ...(dialect.keepAlive && { comments: dialect.keepAlive }), ...script.wire }
  const lastMs = timesMs.at(-1) ?? 0
  const kind = fault?.kind
  if (kind !== undefined && isHeadless(kind)) return headless(kind, timesMs[0] ?? 0)
  const frames = chunks.map(({ json, fragment, hasText }, index): Frame => {
    const comment = hasComment(wire, index) ? commentText(wire) : ''
    const text = (): string => eventText(jsonText(json, wire), wire) + comment
    return { atMs: timesMs[fragment] ?? lastMs, text, chunks: 1, hasText }
  })
  const honest = { frames, ending: 'end' as const, done: true }
  const course = fault === undefined || kind === undefined ? honest : courseOf(kind, fault, frames, wire, dialect)
  const endAtMs = course.frames.at(-1)?.atMs ?? timesMs[0] ?? 0
  const isDone = course.ending === 'end' && (wire.done ?? course.done)
  const done = isDone ? [{ atMs: endAtMs, text: () => eventText('[DONE]', wire), chunks: 0, hasText: false }] : []
  const timed = withKeepAlives([...course.frames, ...done], wire)
  return {
    head: { status, headers: { ...dialect.headers('stream'), ...lowerCased(headers) } },
    parts: wire.cuts === undefined ? partsOf(timed) : cutParts([...partsOf(timed)], wire.cuts, wire.pauseMs),
    ending: course.ending,
    endAtMs,
    apart: wire.cuts !== undefined,
  }
}

/** The most keep-alives of one reply; more would only fill the memory. */
const KEEP_ALIVES_MAX = 100_000

function withKeepAlives(frames: readonly Frame[], wire: Wire): readonly Frame[] {
  const everyMs = typeof wire.comments === 'object' ? wire.comments.everyMs : undefined
  if (everyMs === undefined) return frames
  const text = (): string => commentText(wire)
  let beat = 1
  return frames.flatMap((frame) => {
    const before: Frame[] = []
    for (; beat * everyMs < frame.atMs && beat <= KEEP_ALIVES_MAX; beat += 1) {
      before.push({ atMs: beat * everyMs, text, chunks: 0, hasText: false })
    }
    return [...before, frame]
  })
}

function* partsOf(frames: readonly Frame[]): Generator<Part> {
  for (const { atMs, text, chunks } of frames) yield { atMs, bytes: Buffer.from(text()), chunks }
}

function hasComment({ comments = false }: Wire, index: number): boolean {
  if (typeof comments === 'boolean') return comments
  if (comments.every === undefined) return comments.everyMs === undefined
  return (index + 1) % comments.every === 0
}
