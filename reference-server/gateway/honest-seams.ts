import { randomBytes } from 'node:crypto'
import type { Clock } from '../clock.ts'
import type { Keyring } from '../keys/keyring.ts'
import type { Limits } from '../keys/limits.ts'
import type { Registry } from '../network/registry.ts'
import { countTokens } from '../network/tokens.ts'
import { bearerKey } from './bearer.ts'
import { readBody } from './body.ts'
import { insufficientFunds, invalidRequest, rateLimited, unauthorized } from './gateway-error.ts'
import { type Model, modelList } from './models.ts'
import { parseJsonBody, readChatRequest } from './request.ts'
import { answer } from './router.ts'
import type { ChunkParts, CompletionParts, Seams, UsageChunkParts } from './seams.ts'
import { finish, responseSink } from './stream.ts'

/** What the honest gateway is made of. */
export interface Parts {
  readonly models: readonly Model[]
  readonly keyring: Keyring
  readonly limits: Limits
  readonly registry: Registry
  readonly clock: Clock
  readonly isFunded: (accountId: string) => boolean
  /** Told of errors that are nobody's but ours. */
  readonly onBug: (error: unknown) => void
}

/** Completion tokens of a request that names no limit. */
const TOKENS_MAX_DEFAULT = 4096

/** What a message costs beside its text, and what opens the reply. */
const TOKENS_PER_MESSAGE = 4
const TOKENS_PER_REPLY = 2

/** The gateway as it should be. `table` gives the seams with their wrappers, for the seams that call others. */
export function honestSeams(parts: Parts, table: () => Seams): Seams {
  return {
    serve: (call) => answer(table(), parts, call),
    authenticate(call) {
      const presented = bearerKey(call.request)
      const key = presented === undefined ? undefined : table().findKey(presented, call)
      if (key === undefined || key.revoked) throw unauthorized()
      return { key, funded: parts.isFunded(key.accountId) }
    },
    ...admission(parts),
    ...generation(parts),
    ...shapes,
    ...output,
  }
}

/** From the body to the decision that a request may cost something. */
function admission({ keyring, limits, models }: Parts) {
  const byId = new Map(models.map((model) => [model.id, model]))
  return {
    findKey: (presented) => keyring.find(presented),
    readBody: ({ request }) => readBody(request),
    parseBody: (bytes) => parseJsonBody(bytes),
    validate: (value) => readChatRequest(value),
    findModel: (id) => byId.get(id),
    requireRoom(promptTokens, { contextWindow }) {
      if (promptTokens < contextWindow) return
      const message = `The prompt has ${promptTokens} tokens; the model's context window is ${contextWindow}.`
      throw invalidRequest('context_length_exceeded', message, 'messages')
    },
    requireFunds({ funded }) {
      if (!funded) throw insufficientFunds()
    },
    takeFromLimits({ key }, promptTokens) {
      const refusal = limits.take(key, promptTokens)
      if (refusal !== undefined) throw rateLimited(refusal)
    },
  } satisfies Partial<Seams>
}

function generation({ clock, limits, registry }: Parts) {
  const startedAt = unixSeconds(clock)
  return {
    listModels: (models) =>
      modelList(
        models.filter(({ id }) => registry.serves(id)),
        startedAt,
      ),
    chooseNode: ({ id }) => registry.choose(id),
    job({ messages, tokensMax = TOKENS_MAX_DEFAULT, stop, temperature, topP }, { id, contextWindow }, promptTokens) {
      const room = Math.max(1, contextWindow - promptTokens)
      return { model: id, messages, tokensMax: Math.min(tokensMax, room), stop, temperature, topP }
    },
    generate: (node, job, signal) => node.generate(job, signal),
    countPromptTokens: ({ messages }) =>
      messages.reduce((sum, { content }) => sum + TOKENS_PER_MESSAGE + countTokens(content), TOKENS_PER_REPLY),
    countCompletionTokens: (counted) => counted,
    settle: ({ completionTokens }, { key }) => limits.settle(key, completionTokens),
    newId: () => `chatcmpl-${randomBytes(12).toString('hex')}`,
    now: () => unixSeconds(clock),
  } satisfies Partial<Seams>
}

const shapes = {
  completion({ id, created, model, text, finishReason, promptTokens, completionTokens }: CompletionParts) {
    const message = { role: 'assistant', content: text }
    return {
      id,
      object: 'chat.completion',
      created,
      model,
      system_fingerprint: null,
      choices: [{ index: 0, message, finish_reason: finishReason }],
      usage: usage(promptTokens, completionTokens),
    }
  },
  chunk({ role, text, finishReason, ...identity }: ChunkParts) {
    const delta = { ...(role !== undefined && { role }), ...(text !== undefined && { content: text }) }
    return chunk(identity, [{ index: 0, delta, finish_reason: finishReason ?? null }])
  },
  usageChunk({ promptTokens, completionTokens, ...identity }: UsageChunkParts) {
    return { ...chunk(identity, []), usage: usage(promptTokens, completionTokens) }
  },
  encode: (value: unknown) => JSON.stringify(value),
  frame: (data: string) => `data: ${data}\n\n`,
  doneFrame: () => 'data: [DONE]\n\n',
} satisfies Partial<Seams>

const json = { 'content-type': 'application/json' }

const output = {
  replyHead: () => ({ status: 200, headers: json }),
  listHead: () => ({ status: 200, headers: json }),
  streamHead: () => ({
    status: 200,
    headers: {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache',
      'x-accel-buffering': 'no',
    },
  }),
  errorAnswer: (error) => ({ status: error.status, headers: { ...json, ...error.headers }, body: error.body() }),
  sendBody({ status, headers }, body, { response, left }) {
    response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) })
    return finish(response, body, left)
  },
  openStream({ status, headers }, { response, left }) {
    response.writeHead(status, headers)
    return responseSink(response, left)
  },
} satisfies Partial<Seams>

function chunk({ id, created, model }: Omit<ChunkParts, 'position'>, choices: readonly unknown[]) {
  return { id, object: 'chat.completion.chunk', created, model, system_fingerprint: null, choices }
}

function usage(promptTokens: number, completionTokens: number) {
  return {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
  }
}

function unixSeconds(clock: Clock): number {
  return Math.floor(clock.unixMs() / 1000)
}
