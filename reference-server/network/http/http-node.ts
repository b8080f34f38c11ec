import { Agent } from 'undici'
import { type Course, CourseReader, waitedFor } from '../course.ts'
import type { FinishReason, Fragment, Job, NodeRequest, NodeTalk, OperatorNode, RawReply, ReplySteps } from '../node.ts'
import { NodeFailure, type NodeLimits } from '../node-failure.ts'
import { countTokens } from '../tokens.ts'
import { askNode } from './ask-node.ts'

export interface HttpNodeOptions {
  readonly id: string
  /** Where the server is; `/v1` is added where it is missing. */
  readonly url: string
  /** The node's own key. The caller's never goes to a node. */
  readonly key?: string
  readonly models: readonly string[]
  /** Its share of the load compared with other nodes; 1 by default. */
  readonly weight?: number
}

/** Told how each request to a node went: undefined for a reply that began well. */
export type OnOutcome = (nodeId: string, failure: NodeFailure | undefined) => void

const CONNECTIONS_MAX = 1024

/**
 * Any server of the chat-completions format as a node. It is always asked for a stream, so that time limits and a
 * leaving client take effect at each token, whichever mode the client wants.
 */
export function httpNode(options: HttpNodeOptions, limits: NodeLimits, onOutcome: OnOutcome): OperatorNode {
  const { id, key, models, weight = 1 } = options
  const base = options.url.replace(/\/+$/, '').replace(/\/v1$/, '')
  const agent = new Agent({
    connections: CONNECTIONS_MAX,
    pipelining: 1,
    connect: { timeout: limits.connectMs },
    headersTimeout: limits.headMs,
    bodyTimeout: Math.max(limits.lateTokenMs, limits.gapMs),
  })
  const headers = {
    'content-type': 'application/json',
    accept: 'text/event-stream',
    ...(key !== undefined && { authorization: `Bearer ${key}` }),
  }
  let inFlight = 0

  function ask({ headers, body }: NodeRequest, signal: AbortSignal): Promise<RawReply> {
    const request = { origin: base, path: '/v1/chat/completions', method: 'POST', headers } as const
    return askNode(agent, { ...request, body: JSON.stringify(body) }, signal)
  }

  function* courseOf(job: Job, signal: AbortSignal, { write, read }: NodeTalk): Course<Fragment, FinishReason> {
    inFlight += 1
    let hasBegun = false
    let steps: ReplySteps | undefined
    try {
      steps = read(yield* waitedFor(ask(write({ headers, body: bodyOf(job) }), signal)))
      for (;;) {
        const step = steps.takeReady?.() ?? (yield* waitedFor(steps.next()))
        if (step.done === true) throw new NodeFailure('broken', 'the reply of the node was not finished')
        if (!hasBegun) onOutcome(id, undefined)
        hasBegun = true
        if (typeof step.value !== 'string') return step.value.finishReason
        yield { text: step.value, tokens: countTokens(step.value) }
      }
    } catch (error) {
      const failure = failureOf(error, signal)
      if (failure !== undefined && !hasBegun) onOutcome(id, failure)
      throw failure ?? error
    } finally {
      inFlight -= 1
      steps?.return().catch(() => undefined)
    }
  }

  return {
    id,
    serves: new Set(models),
    load: () => inFlight / weight,
    generate: (job, signal, talk) => new CourseReader(courseOf(job, signal, talk)),
    async probe() {
      const { statusCode, body } = await agent.request({ origin: base, path: '/v1/models', method: 'GET', headers })
      await body.dump()
      if (statusCode >= 500) throw new NodeFailure('status', `the node answered ${statusCode}`)
    },
    close: () => agent.destroy(),
  }
}

function bodyOf({ model, messages, tokensMax, stop, temperature, topP, extras }: Job): object {
  return {
    ...extras,
    model,
    messages,
    temperature,
    top_p: topP,
    max_tokens: tokensMax,
    ...(stop.length > 0 && { stop }),
    stream: true,
    stream_options: { include_usage: true },
  }
}

/** The node's failure; undefined when it was not the node that ended the request. */
function failureOf(error: unknown, signal: AbortSignal): NodeFailure | undefined {
  if (signal.aborted) return signal.reason instanceof NodeFailure ? signal.reason : undefined
  if (error instanceof NodeFailure) return error
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  const kind = /TIMEOUT/.test(code) ? 'silent' : 'unreachable'
  return new NodeFailure(kind, `the node is ${kind}`, { cause: error })
}
