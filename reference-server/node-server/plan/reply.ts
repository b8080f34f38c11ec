import type { Clock } from '../../clock.ts'
import type { Dialect, Problem } from '../dialect/dialect.ts'
import type { Script } from '../script/script.ts'
import { replySeed, schedule } from '../script/timing.ts'
import { type Timing, timingModel } from '../script/timing-profiles.ts'
import type { NodeRequest } from '../send/request.ts'
import { bodyPlan } from './body-plan.ts'
import { jsonText } from './event-bytes.ts'
import { jsonReply, streamChunks } from './reply-chunks.ts'
import { promptTokensOf, replyContent } from './reply-content.ts'
import type { ReplyPlan } from './reply-plan.ts'
import { streamPlan } from './stream-plan.ts'

export interface ReplyOccasion {
  readonly dialect: Dialect
  readonly seed: number
  readonly number: number
  readonly concurrent: number
  readonly timing: Timing
  readonly clock: Clock
}

/** The whole reply to a request, with all its times. Without a script it is the node's default. */
export async function planReply(request: NodeRequest, script: Script, occasion: ReplyOccasion): Promise<ReplyPlan> {
  const { status = 200 } = script
  const { dialect } = occasion
  const times = (chunks: number): readonly number[] =>
    schedule(timingModel(script.timing ?? occasion.timing), {
      seed: replySeed(occasion.seed, occasion.number),
      chunks,
      promptTokens: promptTokensOf(request),
      concurrent: occasion.concurrent,
    })
  if (script.body !== undefined || status >= 300) {
    const { body = dialect.error(failure(status)) } = script
    const headers = typeof body === 'string' ? { 'content-type': 'text/plain; charset=utf-8' } : dialect.headers('json')
    const bytes = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))
    return bodyPlan({ status, headers, bytes, atMs: times(1)[0] ?? 0 }, script, dialect)
  }
  const content = await replyContent(request, script, occasion)
  const timesMs = times(content.fragments.length)
  if (request.stream) {
    const usageWhere = script.usageWhere ?? (request.includeUsage ? 'own-chunk' : 'never')
    const chunks = streamChunks(content, script, usageWhere, dialect)
    return streamPlan({ status, chunks, timesMs }, script, dialect)
  }
  const bytes = Buffer.from(jsonText(jsonReply(content, script, dialect), script.wire))
  return bodyPlan({ status, headers: dialect.headers('json'), bytes, atMs: timesMs.at(-1) ?? 0 }, script, dialect)
}

function failure(status: number): Problem {
  const message = `The node was told to answer ${status}.`
  return { status, message, type: status < 500 ? 'invalid_request_error' : 'server_error', code: null }
}
