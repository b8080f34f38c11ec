import { Redis } from 'ioredis'
import { deadlines } from '../store/deadlines.ts'
import { type KeyRecord, StoreUnavailable } from '../store/store.ts'
import type { LimitState, Limits, LimitUnit, Reservation, Reserved } from './limits.ts'

const MINUTE_MS = 60_000
/** A key that is idle for two minutes has full buckets, so Redis may forget it. */
const FORGET_MS = 2 * MINUTE_MS
/** How long a refusal is believed without asking Redis again: another replica may have put a request back meanwhile. */
const BELIEVED_MS = 250
/** How often Redis is asked whether it is there. */
const PING_MS = 500

/**
 * One key's two buckets in one hash, filled by the server's clock. Levels are in units. A limit of 0 means no limit, and no bucket
 * either: one that gets a limit later begins full.
 * Returns the unit that refused (0 none, 1 requests, 2 tokens), the wait in ms, and both levels afterwards. After the
 * deadline, in ms of the server's clock, nobody waits for the answer any more: it takes nothing and returns nothing.
 */
const RESERVE = `
local time = redis.call('TIME')
local now = time[1] * 1000 + time[2] / 1000
if now > tonumber(ARGV[4]) then return {} end
local rpm, tpm, tokens = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local kept = redis.call('HMGET', KEYS[1], 'requests', 'tokens', 'at')
local passed = math.max(0, now - (tonumber(kept[3]) or now))
local filled = function(level, limit)
  return math.min(limit, (tonumber(level) or limit) + passed * limit / ${MINUTE_MS})
end
local requests, level = filled(kept[1], rpm), filled(kept[2], tpm)
local refused, wait = 0, 0
if rpm > 0 and requests < 1 then
  refused, wait = 1, math.ceil((1 - requests) * ${MINUTE_MS} / rpm)
elseif tpm > 0 and level < tokens then
  refused, wait = 2, math.ceil((tokens - level) * ${MINUTE_MS} / tpm)
else
  requests, level = requests - 1, level - tokens
end
local keep = function(name, level, limit)
  if limit > 0 then redis.call('HSET', KEYS[1], name, tostring(level)) else redis.call('HDEL', KEYS[1], name) end
end
keep('requests', requests, rpm)
keep('tokens', level, tpm)
redis.call('HSET', KEYS[1], 'at', string.format('%.3f', now))
local owed = tpm > 0 and math.max(0, -level) or 0
redis.call('PEXPIRE', KEYS[1], ${FORGET_MS} + math.ceil(owed * ${MINUTE_MS} / math.max(1, tpm)))
return {refused, wait, math.floor(requests), math.floor(level)}`

/** Puts back requests and tokens; a negative number takes more. */
const PUT = `
local rpm, tpm = tonumber(ARGV[1]), tonumber(ARGV[2])
local kept = redis.call('HMGET', KEYS[1], 'requests', 'tokens')
if kept[1] then redis.call('HSET', KEYS[1], 'requests', tostring(math.min(rpm, kept[1] + ARGV[3]))) end
if kept[2] then redis.call('HSET', KEYS[1], 'tokens', tostring(math.min(tpm, kept[2] + ARGV[4]))) end
return 1`

/** Throws an error that says where nothing could be reached, and why. */
async function connectTo(url: string): Promise<Redis> {
  const { connectMs, answerMs } = deadlines
  const redis = new Redis(url, {
    lazyConnect: true,
    connectTimeout: connectMs,
    commandTimeout: answerMs,
    // Without a connection a command fails at once; it is not kept for the next one.
    enableOfflineQueue: false,
    retryStrategy: (attempt) => Math.min(attempt * 50, PING_MS),
  })
  let problem = ''
  // A request that needs Redis reports the error; without a listener it would be printed.
  redis.on('error', (error) => {
    problem = error.message
  })
  await redis.connect().catch((cause: unknown) => {
    redis.disconnect()
    const { protocol, host } = new URL(url)
    throw new Error(`the Redis at ${protocol}//${host} cannot be reached: ${problem || 'it does not answer'}`, {
      cause,
    })
  })
  return redis
}

/** Limits that several replicas share. Without Redis nothing is let through: a limit must never be exceeded. */
export async function redisLimits(url: string): Promise<Limits> {
  const { answerMs } = deadlines
  const redis = await connectTo(url)
  const watch = await watchRedis(redis)
  const states = new Map<string, readonly LimitState[]>()
  const refusals = lastRefusals()

  const limitsOf = ({ requestsPerMinute = 0, tokensPerMinute = 0 }: KeyRecord) => [requestsPerMinute, tokensPerMinute]
  const put = (key: KeyRecord, requests: number, tokens: number): void => {
    if (isUnlimited(key)) return
    redis.eval(PUT, 1, nameOf(key), ...limitsOf(key), requests, tokens).catch(() => undefined)
  }

  return {
    async reserve(key, wanted) {
      const tokens = Math.min(wanted, key.tokensPerMinute ?? wanted)
      const reservation: Reservation = { key, tokens }
      if (isUnlimited(key)) return { state: [], reservation }
      if (watch.trouble !== undefined) throw new StoreUnavailable(watch.trouble)
      const deadline = watch.serverMs() + answerMs
      const answer = await redis
        .eval(RESERVE, 1, nameOf(key), ...limitsOf(key), tokens, deadline)
        .catch((cause: unknown) => {
          throw new StoreUnavailable(doNotAnswer, { cause })
        })
      const [refused, waitMs = 0, requestsLeft = 0, tokensLeft = 0] = answer as number[]
      if (refused === undefined) throw new StoreUnavailable(doNotAnswer)
      const state = [
        ...stateOf('requests', key.requestsPerMinute, requestsLeft),
        ...stateOf('tokens', key.tokensPerMinute, tokensLeft),
      ]
      states.set(nameOf(key), state)
      if (refused === 0) return { state, reservation }
      const unit: LimitUnit = refused === 1 ? 'requests' : 'tokens'
      const perMinute = (refused === 1 ? key.requestsPerMinute : key.tokensPerMinute) ?? 0
      const refusal = { unit, perMinute, waitMs }
      if (unit === 'requests') refusals.note(nameOf(key), refusal)
      return { state, refusal }
    },
    refusalOf: (key) => refusals.of(nameOf(key)),
    commit: ({ key, tokens }, tokensUsed) => put(key, 0, tokens - tokensUsed),
    giveBack({ key, tokens }) {
      refusals.forget(nameOf(key))
      put(key, 1, tokens)
    },
    stateOf: (key) => states.get(nameOf(key)) ?? fullStateOf(key),
    trouble: () => watch.trouble,
    async close() {
      watch.end()
      redis.disconnect()
    },
  }
}

type Refusal = NonNullable<Reserved['refusal']>

/** What Redis refused a moment ago, by the names of the buckets. */
function lastRefusals() {
  const refusals = new Map<string, { readonly refusal: Refusal; readonly atMs: number }>()
  return {
    note: (name: string, refusal: Refusal) => refusals.set(name, { refusal, atMs: performance.now() }),
    forget: (name: string) => refusals.delete(name),
    /** The refusal with what is left of its wait, while it is believed. */
    of(name: string): Refusal | undefined {
      const last = refusals.get(name)
      if (last === undefined) return undefined
      const { refusal, atMs } = last
      const agoMs = performance.now() - atMs
      if (agoMs < Math.min(BELIEVED_MS, refusal.waitMs)) return { ...refusal, waitMs: refusal.waitMs - agoMs }
      refusals.delete(name)
      return undefined
    },
  }
}

const doNotAnswer = 'the shared limits do not answer'

interface Watch {
  /** Why Redis cannot be relied on now, if so. */
  readonly trouble: string | undefined
  /** The time by the server's clock, in ms; the way of its answer makes it a little early. */
  serverMs(): number
  end(): void
}

/** Asks Redis for its time again and again: requests need not find out one by one that it does not answer. */
async function watchRedis(redis: Redis): Promise<Watch> {
  let trouble: string | undefined
  let aheadMs = 0
  async function look(): Promise<void> {
    try {
      const [seconds = 0, micros = 0] = await redis.time()
      aheadMs = seconds * 1000 + micros / 1000 - performance.now()
      trouble = undefined
    } catch {
      trouble = doNotAnswer
    }
  }
  await look()
  const timer = setInterval(() => void look(), PING_MS)
  timer.unref()
  return {
    get trouble() {
      return trouble
    },
    serverMs: () => performance.now() + aheadMs,
    end: () => clearInterval(timer),
  }
}

function isUnlimited({ requestsPerMinute, tokensPerMinute }: KeyRecord): boolean {
  return requestsPerMinute === undefined && tokensPerMinute === undefined
}

/** A key whose limits change begins a new minute. */
function nameOf({ id, requestsPerMinute = 0, tokensPerMinute = 0 }: KeyRecord): string {
  return `assay:limits:${id}:${requestsPerMinute}:${tokensPerMinute}`
}

function fullStateOf({ requestsPerMinute, tokensPerMinute }: KeyRecord): readonly LimitState[] {
  return [
    ...stateOf('requests', requestsPerMinute, requestsPerMinute ?? 0),
    ...stateOf('tokens', tokensPerMinute, tokensPerMinute ?? 0),
  ]
}

function stateOf(unit: LimitUnit, perMinute: number | undefined, left: number): readonly LimitState[] {
  if (perMinute === undefined) return []
  const resetMs = Math.ceil(((perMinute - left) * MINUTE_MS) / perMinute)
  return [{ unit, perMinute, remaining: Math.max(0, left), resetMs }]
}
