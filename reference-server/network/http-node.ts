import { Agent, type Dispatcher } from 'undici'
import type { Fragment, Job, NodeRequest, OperatorNode, RawReply } from './node.ts'
import { NodeFailure, type NodeLimits } from './node-failure.ts'
import { countTokens } from './tokens.ts'

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

  function ask(request: NodeRequest, signal: AbortSignal): Promise<Dispatcher.ResponseData> {
    const { headers, body } = request
    const text = JSON.stringify(body)
    return agent.request({ origin: base, path: '/v1/chat/completions', method: 'POST', headers, body: text, signal })
  }

  return {
    id,
    serves: new Set(models),
    load: () => inFlight / weight,
    async *generate(job, signal, { write, read }) {
      inFlight += 1
      let hasBegun = false
      try {
        const request = write({ headers, body: bodyOf(job) })
        for await (const step of read(rawReplyOf(await ask(request, signal)))) {
          if (!hasBegun) onOutcome(id, undefined)
          hasBegun = true
          if (typeof step !== 'string') return step.finishReason
          yield { text: step, tokens: countTokens(step) } satisfies Fragment
        }
        throw new NodeFailure('broken', 'the reply of the node was not finished')
      } catch (error) {
        const failure = failureOf(error, signal)
        if (failure !== undefined && !hasBegun) onOutcome(id, failure)
        throw failure ?? error
      } finally {
        inFlight -= 1
      }
    },
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

function rawReplyOf({ statusCode, headers, body }: Dispatcher.ResponseData): RawReply {
  return { status: statusCode, contentType: String(headers['content-type'] ?? ''), body }
}

/** The node's failure; undefined when it was not the node that ended the request. */
function failureOf(error: unknown, signal: AbortSignal): NodeFailure | undefined {
  if (signal.aborted) return signal.reason instanceof NodeFailure ? signal.reason : undefined
  if (error instanceof NodeFailure) return error
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  const kind = /TIMEOUT/.test(code) ? 'silent' : 'unreachable'
  return new NodeFailure(kind, `the node is ${kind}`, { cause: error })
}
