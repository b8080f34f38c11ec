import { chunkReader } from './chunk-reader.ts'
import { readFinishReason } from './finish-reason.ts'
import type { RawReply, ReplyStep, ReplySteps } from './node.ts'
import { NodeFailure } from './node-failure.ts'

const JSON_BYTES_MAX = 32 * 1024 * 1024

/** Reads what a node sent. Throws `NodeFailure` when it is not a reply, or not a whole one. */
export async function* readReply({ status, contentType, body }: RawReply): ReplySteps {
  if (status < 200 || status > 299) {
    // Once the body is read to its end, the connection can be used again.
    await readText(body).catch(() => '')
    throw new NodeFailure('status', `the node answered ${status}`)
  }
  if (!contentType.toLowerCase().includes('text/event-stream')) {
    yield* wholeReply(await readText(body))
    return
  }
  const reader = chunkReader()
  for await (const bytes of body) {
    yield* reader.push(bytes)
    if (reader.isOver()) break
  }
  yield { finishReason: reader.end() }
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

async function readText(body: RawReply['body']): Promise<string> {
  const parts: Uint8Array[] = []
  let length = 0
  for await (const bytes of body) {
    length += bytes.length
    if (length > JSON_BYTES_MAX) throw new NodeFailure('broken', 'the reply of the node is too large')
    parts.push(bytes)
  }
  return Buffer.concat(parts).toString()
}
