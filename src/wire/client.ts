import { Agent, type Dispatcher, EnvHttpProxyAgent } from 'undici'
import { sendByNode } from './node-client.ts'
import type { Arrival, Ending, Exchange, HeaderList, SentRequest } from './transcript.ts'

export interface WireOptions {
  /** Accept any certificate. */
  readonly insecure: boolean
}

/** What to do after more bytes of a body: read on, give the end this long to come, or leave at once. */
export type Appetite = 'more' | { readonly endWithinMs: number } | 'leave'

export interface SendOptions {
  /** Silence on the exchange after which it ends as `timeout`. */
  readonly silenceMsMax: number
  /** Longest duration of the whole exchange, however busy. */
  readonly durationMsMax: number
  /** Called with each piece of the body, to leave a stream early or to bound its end. */
  readonly onBytes?: (bytes: Uint8Array, atMs: number) => Appetite
}

/** Sends requests, each on a connection that it has to itself, and records every byte that comes back. */
export interface Wire {
  send(request: SentRequest, options: SendOptions): Promise<Exchange>
  close(): Promise<void>
}

/**
 * Whoever closes connections that idle may cut a request that is on its way to it, which tells nothing of the request
 * (RFC 9112, 9.3.1). After so many that came to nothing, a connection is used once.
 */
const cutsMax = 3
const cut = /^(UND_ERR_SOCKET|ECONNRESET|EPIPE)/

/** A body is kept up to this size; a reply that is longer is left. */
const bodyBytesMax = 64 * 1024 * 1024

let lastExchangeId = 0

/** Exchanges are numbered in the order in which they were sent. */
function nextExchangeId(): number {
  lastExchangeId += 1
  return lastExchangeId
}

export function createWire({ insecure }: WireOptions): Wire {
  const options = {
    pipelining: 1,
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: { rejectUnauthorized: !insecure, timeout: 10_000 },
  } as const
  const direct = new Agent(options)
  let sendsInterim = false
  let cuts = 0
  const proxied = proxyIsConfigured() ? new EnvHttpProxyAgent(options) : direct
  return {
    async send(request, limits) {
      if (sendsInterim) return sendByNode(nextExchangeId(), request, limits, insecure)
      const url = new URL(request.url)
      const exchange = await record(isLoopback(url) ? direct : proxied, url, request, limits, cuts >= cutsMax)
      if (exchange.head === undefined && cut.test(exchange.problem ?? '')) cuts += 1
      // undici takes an interim 100 that nobody asked for as a broken answer; HTTP allows it (RFC 9110, 15.2).
      sendsInterim = exchange.head === undefined && exchange.problem?.endsWith('bad response') === true
      return sendsInterim ? sendByNode(nextExchangeId(), request, limits, insecure) : exchange
    },
    async close() {
      await Promise.all([direct.destroy(), proxied === direct ? undefined : proxied.destroy()])
    },
  }
}

function record(
  dispatcher: Dispatcher,
  { origin, pathname, search }: URL,
  request: SentRequest,
  limits: SendOptions,
  once: boolean,
): Promise<Exchange> {
  const { promise, resolve } = Promise.withResolvers<Exchange>()
  const id = nextExchangeId()
  const sentAt = Date.now()
  const start = performance.now()
  const elapsedMs = (): number => performance.now() - start
  const arrivals: Arrival[] = []
  let head: Exchange['head']
  let size = 0
  let ended = false
  let control: Dispatcher.DispatchController | undefined
  const silent = `silent for ${limits.silenceMsMax} ms`
  let awaited = silent
  let silence = setTimeout(leave, limits.silenceMsMax, 'timeout', silent)
  const duration = setTimeout(leave, limits.durationMsMax, 'timeout', `unfinished after ${limits.durationMsMax} ms`)

  function finish(ending: Ending, problem?: string): void {
    if (ended) return
    ended = true
    clearTimeout(silence)
    clearTimeout(duration)
    const told = problem === undefined ? {} : { problem }
    const answered = head === undefined ? {} : { head }
    resolve({ id, request, sentAt, ...answered, arrivals, ending, endedAtMs: elapsedMs(), ...told })
  }

  function leave(ending: Ending, problem: string): void {
    finish(ending, problem)
    control?.abort(new Error(problem))
  }

  function listen(ms: number, ending: Ending, problem: string): void {
    if (problem === awaited) {
      silence.refresh()
      return
    }
    awaited = problem
    clearTimeout(silence)
    silence = setTimeout(leave, ms, ending, problem)
  }

  const headers = request.headers.flat()
  try {
    dispatcher.dispatch(
      { origin, path: pathname + search, method: request.method, headers, body: request.body ?? null, reset: once },
      {
        onRequestStart(controller) {
          control = controller
          if (ended) controller.abort(new Error('the exchange is over'))
        },
        onResponseStart(controller, status) {
          head = { status, headers: headerPairs(controller.rawHeaders ?? []), atMs: elapsedMs() }
          listen(limits.silenceMsMax, 'timeout', silent)
        },
        onResponseData(_, bytes) {
          if (ended) return
          const atMs = elapsedMs()
          arrivals.push({ bytes, atMs })
          size += bytes.length
          const appetite = size > bodyBytesMax ? 'leave' : (limits.onBytes?.(bytes, atMs) ?? 'more')
          if (appetite === 'leave') leave('left', 'the rest was not read')
          else if (appetite === 'more') listen(limits.silenceMsMax, 'timeout', silent)
          else listen(appetite.endWithinMs, 'left', `still open ${appetite.endWithinMs} ms after its last event`)
        },
        onResponseEnd: () => finish('complete'),
        onResponseError: (_, error) => finish(head === undefined ? endingOf(error) : 'reset', describe(error)),
      },
    )
  } catch (error) {
    finish('unreachable', describe(error))
  }
  return promise
}

/** An error before the head: a connection that was never made, or one that was cut. */
function endingOf(error: unknown): Ending {
  const code = errorCode(error)
  const neverConnected = [
    'ECONNREFUSED',
    'ENOTFOUND',
    'EAI_AGAIN',
    'EHOSTUNREACH',
    'ENETUNREACH',
    'UND_ERR_CONNECT_TIMEOUT',
  ]
  return neverConnected.includes(code) || /CERT|SSL|TLS|SELF_SIGNED/.test(code) ? 'unreachable' : 'reset'
}

function errorCode(error: unknown): string {
  if (error instanceof AggregateError) return errorCode(error.errors[0])
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}

function describe(error: unknown): string {
  const code = errorCode(error)
  const message = error instanceof Error ? error.message : String(error)
  return [code, message].filter((part) => part !== '').join(': ')
}

function headerPairs(raw: readonly (Buffer | string)[] | Record<string, unknown>): HeaderList {
  if (!Array.isArray(raw)) return []
  const pairs: [string, string][] = []
  for (let at = 0; at + 1 < raw.length; at += 2) pairs.push([latin1(raw[at]), latin1(raw[at + 1])])
  return pairs
}

function latin1(value: Buffer | string): string {
  return typeof value === 'string' ? value : value.toString('latin1')
}

function proxyIsConfigured(): boolean {
  return ['HTTP_PROXY', 'HTTPS_PROXY', 'http_proxy', 'https_proxy'].some((name) => (process.env[name] ?? '') !== '')
}

function isLoopback({ hostname }: URL): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || hostname.startsWith('127.')
}
