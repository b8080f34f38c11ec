import { numberAt, parseJson } from '../json.ts'
import { createSseParser, type SseFrame } from '../sse/parser.ts'
import { createWire } from '../wire/client.ts'
import type { Exchange, HeaderList } from '../wire/transcript.ts'
import { headerOf } from '../wire/transcript.ts'
import type { Appetite, Wire } from '../wire/wire.ts'
import { type Answer, doneMarker, fragmentOf, readAnswer, readStream, type StreamAnswer } from './answer.ts'
import { createBreaker } from './breaker.ts'
import type { TargetConfig } from './config.ts'
import { type Control, createControl } from './control.ts'
import { createNodes, type Nodes } from './nodes.ts'
import { createPacer, retryAfterMs } from './pacer.ts'
import { createPatience, type Patience } from './patience.ts'
import { Unsettled } from './unsettled.ts'

/** A request to the gateway under test. */
export interface Request {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE' | 'OPTIONS' | 'HEAD' | 'PATCH'
  /** Below the API path; a path that starts with `//` counts from the base URL instead. */
  readonly path: string
  /** The key to present: the main one when absent, none when null. */
  readonly key?: string | null
  readonly headers?: HeaderList
  readonly body?: string | Uint8Array
  /** Goes at once, however many requests are in flight; many of these need the capability `load`. */
  readonly burst?: true
  /** Another silence after which the exchange is given up, in milliseconds. */
  readonly patienceMs?: number
  /** Most tokens of its reply: a slow model is given the time that it needs for them. */
  readonly replyTokens?: number
  /** Any target serves it that is not too busy: a 503 is as good as a 429. */
  readonly isPlain?: true
}

export interface StreamReading {
  /** Leave the stream after this many chunks with a fragment. */
  readonly leaveAfterContent?: number
  /** Called once, when the first fragment has come. */
  readonly onFirstContent?: () => void
}

/** What a run has used so far. */
export interface Spending {
  requests: number
  /** As the replies' `usage` says. */
  tokens: number
  /** Exchanges that the other side cut or was silent on. */
  cuts: number
}

/** The gateway under test, as requests go to it: paced, bounded, recorded. It judges nothing. */
export interface Target {
  readonly config: TargetConfig
  readonly spending: Spending
  /** Milliseconds until the run's time is up. */
  remainingMs(): number
  /** Ends the run's time now: no request is sent any more. */
  stop(): void
  /** Given to a slow target by what `prepare` measured. */
  readonly patience: Patience
  urlOf(path: string): string
  headersOf(request: Request): HeaderList
  send(request: Request): Promise<Answer>
  stream(request: Request, reading?: StreamReading): Promise<StreamAnswer>
  /** The control API; `keep` is given every exchange with it. Only where the configuration names one. */
  control(keep: (exchange: Exchange) => void): Control
  /** Our nodes behind the gateway. Only where the configuration names some. */
  nodes(keep: (exchange: Exchange) => void): Nodes
  close(): Promise<void>
}

/** A reply may take this many silences in all before it is given up, however busy it is. */
const silencesMax = 6
/** How long a stream may stay open behind its end marker before we leave it, once and after it was seen to stay open. */
const lingerMs = { first: 1000, again: 50 }
const retryAfterMsMax = 15_000

export function createTarget(
  config: TargetConfig,
  startedAtMs: number = performance.now(),
  wire: Wire = createWire({ insecure: config.insecure }),
): Target {
  const pacer = createPacer(config.concurrency)
  const spending: Spending = { requests: 0, tokens: 0, cuts: 0 }
  const breaker = createBreaker()
  const patience = createPatience(config.timeoutMs)
  let endsAtMs = startedAtMs + config.durationMsMax
  let isStopped = false
  let staysOpen = false
  const target: Target = {
    config,
    spending,
    patience,
    remainingMs: () => endsAtMs - performance.now(),
    stop() {
      isStopped = true
      endsAtMs = performance.now()
    },
    urlOf: (path) => config.baseUrl + (path.startsWith('//') ? path.slice(1) : config.apiPath + path),
    headersOf: (request) => headersOf(config, request),
    async send(request) {
      const answer = readAnswer(await exchange(request))
      spending.tokens += numberAt(answer.json, 'usage', 'total_tokens') ?? 0
      return answer
    },
    async stream(request, reading = {}) {
      const parser = createSseParser()
      const frames: SseFrame[] = []
      const parsed = new Map<SseFrame, unknown>()
      let content = 0
      let isEnough = false
      const done = await exchange(request, (bytes) => {
        let ended = false
        for (const frame of parser.push(bytes)) {
          frames.push(frame)
          if (frame.kind !== 'event') continue
          if (frame.data === doneMarker) {
            ended = true
            continue
          }
          const json = parseJson(frame.data)
          parsed.set(frame, json)
          if ((fragmentOf(json) ?? '') !== '') {
            content += 1
            if (content === 1) reading.onFirstContent?.()
          }
        }
        if (ended) return { endWithinMs: staysOpen ? lingerMs.again : lingerMs.first }
        isEnough = content >= (reading.leaveAfterContent ?? Number.POSITIVE_INFINITY)
        return isEnough ? 'leave' : 'more'
      })
      // What the parser still holds of a stream that we left has no end to be judged by.
      if (!isEnough) frames.push(...parser.end())
      const answer = readStream(done, frames, parsed)
      if (answer.done && done.ending === 'left') staysOpen = true
      spending.tokens += content
      return answer
    },
    control(keep) {
      if (config.control === undefined) throw new Error('a check that needs control ran without it')
      return createControl(config.control, wire, keep)
    },
    nodes(keep) {
      if (config.nodes === undefined) throw new Error('a check that needs nodes ran without them')
      return createNodes(config.nodes, wire, keep)
    },
    close: () => wire.close(),
  }

  async function exchange(request: Request, onBytes?: (bytes: Uint8Array) => Appetite): Promise<Exchange> {
    const leave = request.burst === true ? () => {} : await pacer.enter(target.remainingMs)
    try {
      if (spending.requests >= config.requestsMax) {
        throw new Unsettled('budget', `the ${config.requestsMax} requests of --max-requests are used up`)
      }
      if (isStopped) throw new Unsettled('budget', 'the run was interrupted')
      if (target.remainingMs() <= 0) {
        throw new Unsettled('budget', `the ${Math.round(config.durationMsMax / 1000)} s of --max-time are used up`)
      }
      breaker.admit()
      spending.requests += 1
      const { method, path, body } = request
      const sent = {
        method,
        url: target.urlOf(path),
        headers: headersOf(config, request),
        ...(body === undefined ? {} : { body }),
      }
      const silenceMsMax = Math.max(1, Math.min(patience.begin(request), target.remainingMs()))
      const durationMsMax = Math.max(1, Math.min(silenceMsMax * silencesMax, target.remainingMs()))
      const made = await wire.send(sent, { silenceMsMax, durationMsMax, ...(onBytes === undefined ? {} : { onBytes }) })
      patience.end(request)
      if (request.burst !== true) breaker.note(made.ending)
      if (made.ending === 'reset' || made.ending === 'timeout') spending.cuts += request.burst === true ? 0 : 1
      if (isLimit(made, request)) {
        const askedMs = retryAfterMs(headerOf(made, 'retry-after'), Date.now()) ?? 0
        pacer.limited(Math.min(askedMs, retryAfterMsMax, Math.max(0, target.remainingMs())))
        if (request.burst !== true) pacer.crowded()
      } else pacer.passed()
      return made
    } finally {
      leave()
    }
  }

  return target
}

/** Only the main key's limit concerns the other requests. */
function isLimit({ head }: Exchange, { key, isPlain }: Request): boolean {
  return (head?.status === 429 && key === undefined) || (head?.status === 503 && isPlain === true)
}

/** Own headers first, so that a check can replace any of them; then the user's `--header`, then ours. */
function headersOf(config: TargetConfig, { key = config.keys.main, headers = [], body }: Request): HeaderList {
  const given = new Set(headers.map(([name]) => name.toLowerCase()))
  const list = [...headers]
  const add = (name: string, value: string): void => {
    if (!given.has(name.toLowerCase())) list.push([name, value])
  }
  if (key !== null && key !== undefined) add('Authorization', `Bearer ${key}`)
  if (body !== undefined) add('Content-Type', 'application/json')
  for (const [name, value] of config.headers) add(name, value)
  add('User-Agent', `inference-assay/${config.version} run/${config.runId}`)
  return list
}
