import { type Course, CourseReader, waitedFor } from '../course.ts'
import { contentTypeOf, type RawReply, type ReadyIterator, type ReplyStep, type ReplySteps } from '../node.ts'
import { NodeFailure } from '../node-failure.ts'
import { chunkReader } from './chunk-reader.ts'
import { readFinishReason } from './finish-reason.ts'

const JSON_BYTES_MAX = 32 * 1024 * 1024

/** For how long a body may go on after its end marker before its connection is given up. */
const LAST_BYTES_MS = 1000

/** They say something of the request, and nothing of the node. */
const REFUSALS: ReadonlySet<number> = new Set([400, 413, 422])

type Pieces = ReadyIterator<Uint8Array>

/** Reads what a node sent. Throws `NodeFailure` when it is not a reply, or not a whole one. */
export function readReply(reply: RawReply): ReplySteps {
  return new CourseReader(courseOf(reply))
}

function* courseOf({ status, headers, body }: RawReply): Course<ReplyStep, void> {
  const pieces = body[Symbol.asyncIterator]()
  let isWhole = false
  try {
    if (status < 200 || status > 299) {
      // Once the body is read to its end, the connection can be used again.
      yield* waitedFor(readText(pieces).catch(() => ''))
      throw new NodeFailure(REFUSALS.has(status) ? 'refused' : 'status', `the node answered ${status}`)
    }
    if (!contentTypeOf({ headers }).toLowerCase().includes('text/event-stream')) {
      if (Number(headers['content-length'] ?? 0) > JSON_BYTES_MAX) throw tooLarge()
      yield* wholeReply(yield* waitedFor(readText(pieces)))
      return
    }
    const reader = chunkReader()
    while (!reader.isOver()) {
      const step = pieces.takeReady?.() ?? (yield* waitedFor(pieces.next()))
      if (step.done === true) break
      yield* reader.push(step.value)
    }
    const finishReason = reader.end()
    isWhole = true
    yield { finishReason }
  } finally {
    if (isWhole) void readToEnd(pieces)
    else leave(pieces)
  }
}

/** What follows the end marker is only the end of the body. Read, it leaves a connection that can be used again. */
async function readToEnd(pieces: Pieces): Promise<void> {
  const timer = setTimeout(leave, LAST_BYTES_MS, pieces).unref()
  try {
    while ((pieces.takeReady?.() ?? (await pieces.next())).done !== true);
  } catch {
    // The reply was whole before it broke off.
  } finally {
    clearTimeout(timer)
  }
}

function leave(pieces: Pieces): void {
  pieces.return?.().catch(() => undefined)
}

/** A node that answers with a whole reply although a stream was asked for has answered all the same. */
function* wholeReply(text: string): Generator<ReplyStep> {
  const reply = parsed(text)
  const choice = Array.isArray(reply?.choices) ? reply.choices[0] : undefined
  const content = choice?.message?.content ?? ''
  if (choice === undefined || typeof content !== 'string') throw new NodeFailure('broken', 'the node sent no reply')
  yield content
  yield { finishReason: readFinishReason(choice.finish_reason) }
}

interface WholeReply {
  readonly choices?: readonly { readonly message?: { readonly content?: unknown }; readonly finish_reason?: unknown }[]
}

function parsed(text: string): WholeReply | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined
  }
}

function tooLarge(): NodeFailure {
  return new NodeFailure('broken', 'the reply of the node is too large')
}

async function readText(pieces: Pieces): Promise<string> {
  const parts: Uint8Array[] = []
  let length = 0
  for (let step = await pieces.next(); step.done !== true; step = await pieces.next()) {
    length += step.value.length
    if (length > JSON_BYTES_MAX) throw tooLarge()
    parts.push(step.value)
  }
  return Buffer.concat(parts).toString()
}
