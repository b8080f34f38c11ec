import type { Clock } from '../../clock.ts'
import type { Script } from '../script/script.ts'
import { replySeed, schedule } from '../script/timing.ts'
import { type Timing, timingModel } from '../script/timing-profiles.ts'
import type { NodeRequest } from '../send/request.ts'
import { bodyPlan } from './body-plan.ts'
import { jsonReply, streamChunks } from './reply-chunks.ts'
import { promptTokensOf, replyContent } from './reply-content.ts'
import type { ReplyPlan } from './reply-plan.ts'
import { streamPlan } from './stream-plan.ts'

export interface ReplyOccasion {
  readonly seed: number
  readonly number: number
  readonly concurrent: number
  readonly timing: Timing
  readonly clock: Clock
}

/** The whole reply to a request, with all its times. Without a script it is the node's default. */
export async function planReply(request: NodeRequest, script: Script, occasion: ReplyOccasion): Promise<ReplyPlan> {
  const { status = 200 } = script
  const times = (chunks: number): readonly number[] =>
    schedule(timingModel(script.timing ?? occasion.timing), {
      seed: replySeed(occasion.seed, occasion.number),
      chunks,
      promptTokens: promptTokensOf(request),
      concurrent: occasion.concurrent,
    })
  if (script.body !== undefined || status >= 300) {
    const { body = failure(status) } = script
    const contentType = typeof body === 'string' ? 'text/plain; charset=utf-8' : 'application/json'
    const bytes = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))
    return bodyPlan({ status, contentType, bytes, atMs: times(1)[0] ?? 0 }, script)
  }
  const content = await replyContent(request, script, occasion)
  const timesMs = times(content.fragments.length)
  if (request.stream) {
    const usageWhere = script.usageWhere ?? (request.includeUsage ? 'own-chunk' : 'never')
    return streamPlan({ status, chunks: streamChunks(content, script, usageWhere), timesMs }, script)
  }
  const bytes = Buffer.from(JSON.stringify(jsonReply(content, script)))
  return bodyPlan({ status, contentType: 'application/json', bytes, atMs: timesMs.at(-1) ?? 0 }, script)
}

function failure(status: number): object {
  const message = `The node was told to answer ${status}.`
  return { error: { message, type: status < 500 ? 'invalid_request_error' : 'server_error', param: null, code: null } }
}
