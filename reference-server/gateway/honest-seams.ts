import type { Clock } from '../clock.ts'
import { hashKey, newKey } from '../keys/key.ts'
import type { LimitState, Limits } from '../keys/limits.ts'
import type { Patience } from '../keys/patience.ts'
import { costOf, type PicoUsd, type PricePerToken, pricePerToken, type Rate, toAmount, toUsd } from '../ledger/money.ts'
import { readReply } from '../network/http/read-reply.ts'
import type { Registry } from '../network/registry.ts'
import { countTokens } from '../network/tokens.ts'
import { randomId } from '../random-id.ts'
import { requestIdAt } from '../store/request-log.ts'
import type { KeyRecord, KeyTerms, Store, Sum } from '../store/store.ts'
import type { Waits } from './chat-completions.ts'
import type { Drain } from './drain.ts'
import { insufficientFunds, internalError, invalidRequest, rateLimited, unauthorized } from './gateway-error.ts'
import { type Model, modelList } from './models.ts'
import { bearerKey } from './request/bearer.ts'
import { readBody } from './request/body.ts'
import { parseJsonBody, readChatRequest } from './request/chat-request.ts'
import { answer } from './router.ts'
import type { Call, Head, Seams } from './seams.ts'
import { shapes } from './shapes.ts'
import { finish, responseSink } from './stream.ts'

/** What the honest gateway is made of. */
export interface Parts extends Waits {
  readonly models: readonly Model[]
  readonly store: Store
  readonly limits: Limits
  readonly patience: Patience
  readonly registry: Registry
  readonly drain: Drain
  /** The service's short name, part of every key (C2.6). */
  readonly service: string
  /** What the network's token is worth now. */
  readonly rate: Rate
  /** The credit that a new account starts with (C1). */
  readonly freeCredit: PicoUsd
  /** Told of errors that are bugs of the gateway. */
  readonly onBug: (error: unknown) => void
}

/** Completion tokens of a request that names no limit. */
const TOKENS_MAX_DEFAULT = 4096

/** How long requests may take to end when the gateway begins anew. */
const RESTART_MS = 30_000

/** Tokens that a message costs besides its text, and that opening the reply costs. */
const TOKENS_PER_MESSAGE = 4
const TOKENS_PER_REPLY = 2

/** The gateway as it should be. `table` gives the seams with their wrappers, for seams that call others. */
export function honestSeams(parts: Parts, table: () => Seams): Seams {
  return {
    serve: (call) => answer(table(), parts, call),
    authenticate(call) {
      const presented = bearerKey(call.request)
      const key = presented === undefined ? undefined : table().findKey(presented, call)
      if (key === undefined) throw unauthorized()
      call.limits = parts.limits.stateOf(key)
      return { key }
    },
    ...admission(parts),
    ...money(parts),
    ...owners(parts, table),
    ...generation(parts, table),
    ...shapes,
    ...output,
  }
}

/** From the body to the decision that a request is accepted. */
function admission({ store, limits, models }: Parts) {
  const byId = new Map(models.map((model) => [model.id, model]))
  return {
    findKey: (presented) => store.findKey(hashKey(presented)),
    readBody: ({ request }) => readBody(request),
    parseBody: (bytes) => parseJsonBody(bytes),
    validate: (value) => readChatRequest(value),
    findModel: (id) => byId.get(id),
    requireRoom(promptTokens, { contextWindow }) {
      if (promptTokens < contextWindow) return
      const message = `The prompt has ${promptTokens} tokens; the model's context window is ${contextWindow}.`
      throw invalidRequest('context_length_exceeded', message, 'messages')
    },
    requireTurn({ key }) {
      const refusal = limits.refusalOf(key)
      if (refusal !== undefined) throw rateLimited(refusal)
    },
    async reserve({ key }, tokensMost, call) {
      const { state, refusal, reservation } = await limits.reserve(key, tokensMost)
      call.limits = state
      if (reservation !== undefined) return reservation
      throw refusal === undefined ? internalError() : rateLimited(refusal)
    },
    commit: (reservation, { promptTokens, completionTokens }) =>
      limits.commit(reservation, promptTokens + completionTokens),
    giveBack: (reservation) => limits.giveBack(reservation),
  } satisfies Partial<Seams>
}

/** Holds and charges. An account is kept in the network's token, at the rate of the moment. */
function money({ store, rate, models, clock }: Parts) {
  const prices = new Map<string, PricePerToken>(models.map(({ id, price }) => [id, pricePerToken(price)]))
  return {
    priceOf({ promptTokens, completionTokens }, { id, price }) {
      return costOf(promptTokens + completionTokens, prices.get(id) ?? pricePerToken(price))
    },
    async hold(most, { key }, call) {
      // Ids that rise with time land on the same page of the books' index, so a commit writes few pages.
      const requestId = randomId(requestIdAt(clock.unixMs()))
      const hold = await store.hold(requestId, key.accountId, toAmount(most, rate))
      if (hold === undefined) throw insufficientFunds()
      call.requestId = requestId
      return hold
    },
    charge(hold, usd, { promptTokens, completionTokens }, { caller, model }) {
      const amount = toAmount(usd, rate)
      // What a node says beyond what it was asked for is not charged.
      const isWithin = amount <= hold.amount
      return store.charge(hold, {
        amount: isWithin ? amount : hold.amount,
        usd: isWithin ? usd : toUsd(hold.amount, rate),
        rate,
        keyId: caller?.key.id ?? '',
        model: model?.id ?? '',
        promptTokens,
        completionTokens,
      })
    },
    release: (hold) => store.release(hold),
  } satisfies Partial<Seams>
}

/** What an account's owner does, through the control API or the dashboard. */
function owners({ store, rate, freeCredit, service, clock, drain }: Parts, table: () => Seams) {
  return {
    openAccount: (name, credit = freeCredit) => store.openAccount(name, creditOf(credit, rate)),
    async createKey(accountId, terms) {
      const { id, key } = newKey(service)
      const record = { id, accountId, hash: hashKey(key), createdAt: clock.unixMs(), ...terms }
      return (await store.addKey(record)) ? { record, key } : undefined
    },
    changeKey: (keyId, terms) => store.changeKey(keyId, terms),
    async rotateKey(keyId) {
      const old = await store.key(keyId)
      return old && table().createKey(old.accountId, termsOf(old))
    },
    deleteKey: (keyId) => store.deleteKey(keyId),
    keyUsage: (keyId) => store.keyUsage(keyId),
    restart: () => drain.restart(RESTART_MS),
    entries: (accountId, after, limit) => store.entries(accountId, after, limit),
  } satisfies Partial<Seams>
}

function termsOf({ name, requestsPerMinute, tokensPerMinute }: KeyRecord): KeyTerms {
  return {
    name,
    ...(requestsPerMinute !== undefined && { requestsPerMinute }),
    ...(tokensPerMinute !== undefined && { tokensPerMinute }),
  }
}

/** A sum of dollars as an account holds it at a rate. */
export function creditOf(usd: PicoUsd, rate: Rate): Sum {
  return { usd, rate, amount: toAmount(usd, rate) }
}

function generation({ clock, registry }: Parts, table: () => Seams) {
  const startedAt = unixSeconds(clock)
  return {
    listModels: (models) =>
      modelList(
        models.filter(({ id }) => registry.serves(id)),
        startedAt,
      ),
    chooseNode: ({ id }, { tried }) => registry.choose(id, tried),
    job(request, { id, contextWindow }, promptTokens) {
      const { messages, tokensMax = TOKENS_MAX_DEFAULT, stop, temperature, topP, extras } = request
      const room = Math.max(1, contextWindow - promptTokens)
      return { model: id, messages, tokensMax: Math.min(tokensMax, room), stop, temperature, topP, extras }
    },
    generate: (node, job, signal, call) =>
      node.generate(job, signal, {
        write: (request) => table().writeRequest(request, call),
        read(reply) {
          call.isTaken = reply.status < 300
          return table().readReply(reply, call)
        },
      }),
    writeRequest: (request) => request,
    readReply: (reply) => readReply(reply),
    countPromptTokens: ({ messages }) =>
      messages.reduce((sum, { content }) => sum + TOKENS_PER_MESSAGE + countTokens(content), TOKENS_PER_REPLY),
    countCompletionTokens: (counted) => counted,
    newId: () => randomId('chatcmpl-'),
    now: () => unixSeconds(clock),
  } satisfies Partial<Seams>
}

const json = { 'content-type': 'application/json' }

const eventStream = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache',
  'x-accel-buffering': 'no',
}

const output = {
  replyHead: (call) => headOf(call, json),
  listHead: (call) => headOf(call, json),
  streamHead: (call) => headOf(call, eventStream),
  errorAnswer: (error, call) => ({
    ...headOf(call, { ...json, ...error.headers }, error.status),
    body: error.body(),
  }),
  sendBody({ status, headers }, body, { response, left }) {
    response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) })
    return finish(response, body, left)
  },
  openStream({ status, headers }, { response, left }) {
    response.writeHead(status, headers)
    return responseSink(response, left)
  },
} satisfies Partial<Seams>

/** Every answer to a key with limits says how much is left of them. */
function headOf({ limits = [], requestId }: Call, own: Head['headers'], status = 200): Head {
  const headers: Record<string, string> = { ...own }
  if (requestId !== undefined) headers['x-request-id'] = requestId
  for (const { unit, perMinute, remaining, resetMs } of limits) {
    const names = limitNames[unit]
    headers[names.limit] = String(perMinute)
    headers[names.remaining] = String(remaining)
    headers[names.reset] = `${Math.ceil(resetMs / 1000)}s`
  }
  return { status, headers }
}

/** Made once: a name that is put together for each answer costs a search in the table of all names. */
const limitNames = { requests: limitNamesOf('requests'), tokens: limitNamesOf('tokens') }

function limitNamesOf(unit: LimitState['unit']) {
  return {
    limit: `x-ratelimit-limit-${unit}`,
    remaining: `x-ratelimit-remaining-${unit}`,
    reset: `x-ratelimit-reset-${unit}`,
  }
}

function unixSeconds(clock: Clock): number {
  return Math.floor(clock.unixMs() / 1000)
}
