import { shorten } from '../shorten.ts'
import { retryAfterMs, retryAfterMsMax } from '../wire/retry-after.ts'
import type { Exchange, HeaderList } from '../wire/transcript.ts'
import { headerOf } from '../wire/transcript.ts'
import type { Appetite, Wire } from '../wire/wire.ts'
import type { TargetConfig } from './config.ts'
import type { Budget } from './limits/budget.ts'
import type { Deadline } from './limits/deadline.ts'
import type { Patience } from './limits/patience.ts'
import type { LastRequests, RequestEnd } from './recovery/last-requests.ts'
import type { Mode, Recovery } from './recovery/recovery.ts'
import type { Request } from './request.ts'
import type { Pacer } from './turns/pacer.ts'
import { timeIsUp, Unsettled } from './unsettled.ts'

/** Looks at each piece of a body as it comes. */
type OnBytes = (bytes: Uint8Array, atMs: number) => Appetite

/** Sends one request to the gateway: paced, and only within the budget of the run. */
export type Sender = (request: Request, onBytes?: OnBytes) => Promise<Exchange>

export interface SenderParts {
  readonly config: TargetConfig
  readonly wire: Wire
  readonly budget: Budget
  readonly pacer: Pacer
  readonly patience: Patience
  readonly deadline: Deadline
  readonly recovery: Recovery
  readonly last: LastRequests
}

/** A reply may take this many silences in all before it is given up, however busy it is. */
const silenceFactor = 6

/** How much of an answer is read, in bytes: far more than any server sends. */
const bytesMax = {
  /** A list of tens of thousands of models. */
  list: 8 * 1024 * 1024,
  reply: 4 * 1024 * 1024,
  /** A reply with a limit: what comes around its tokens, and what comes with each. */
  around: 1024 * 1024,
  perToken: 4096,
  /** A stream that nothing bounds. */
  endless: 64 * 1024 * 1024,
}

function bytesMaxOf({ method, replyTokens, replyBytesMax, isUnbounded }: Request, isStream: boolean): number {
  if (replyBytesMax !== undefined) return replyBytesMax
  if (method === 'GET') return bytesMax.list
  if (isUnbounded) return isStream ? bytesMax.endless : bytesMax.reply
  return replyTokens === undefined ? bytesMax.reply : bytesMax.around + replyTokens * bytesMax.perToken
}

export function createSender({ config, wire, budget, pacer, patience, deadline, recovery, last }: SenderParts): Sender {
  const { remainingMs } = deadline

  async function exchange(request: Request, onBytes?: OnBytes): Promise<Exchange> {
    const { method, path, body } = request
    const [patienceMs, leftMs] = [patience.begin(request), remainingMs()]
    const silenceMsMax = Math.max(1, Math.min(patienceMs, leftMs))
    const durationMsMax = Math.max(1, Math.min(silenceMsMax * silenceFactor, remainingMs()))
    const end = last.begin(nameOf(request))
    const made = await wire.send(
      {
        method,
        url: urlOf(config, path),
        headers: headersOf(config, request),
        ...(body !== undefined && { body }),
      },
      {
        silenceMsMax,
        durationMsMax,
        bytesMax: bytesMaxOf(request, onBytes !== undefined),
        ...(onBytes !== undefined && { onBytes, keepsEnds: true }),
      },
    )
    end(endOf(made, method))
    patience.end(request)
    // Cut by the end of the run, and not by the target: the timer may be early by part of a millisecond.
    const isCut = made.ending === 'timeout' && leftMs <= patienceMs
    if (isCut) throw new Unsettled('budget', deadline.spent() ?? timeIsUp(config.durationMsMax))
    if (made.ending === 'timeout') refuseWhenSpent(deadline)
    return made
  }

  return async (request, onBytes) => {
    const isBurst = request.burst === true
    const isFree = isBurst || request.despiteSilence
    const mode: Mode = onBytes === undefined ? 'json' : 'stream'
    const leave = isFree ? () => {} : await pacer.enter(remainingMs, request.alone, request.forecast?.allMs)
    try {
      if (!request.despiteSilence) await recovery.untilCalm(mode)
      refuseWhenSpent(deadline)
      if (pacer.isLeastFirst) refuseWhatCannotEnd(config, request, deadline)
      budget.begin(request)
      const made = await exchange(request, onBytes)
      if (!request.despiteSilence) noteWhatIsLeft(recovery, made, request, mode)
      if (!isBurst && (made.ending === 'reset' || made.ending === 'timeout')) budget.spending.cuts += 1
      if (made.head?.status === 429 && request.key === undefined) budget.spending.limited += 1
      if (made.head?.status === 503 && request.key === undefined) budget.spending.unavailable += 1
      pace(pacer, made, request, remainingMs())
      return made
    } finally {
      leave()
    }
  }
}

/** Only a reply shows that models are served; the list may be there whatever became of them. */
function endOf({ head, ending }: Exchange, method: Request['method']): RequestEnd {
  if (head === undefined || ending === 'reset' || ending === 'timeout') return 'lost'
  if (head.status >= 400) return 'refused'
  return method === 'POST' ? 'served' : 'answered'
}

/** Whoever was left may go on for nobody, and others wait for that. */
function noteWhatIsLeft(recovery: Recovery, { ending, head }: Exchange, request: Request, mode: Mode): void {
  const isRefused = head !== undefined && head.status >= 400
  // A request that found no connection has begun nothing.
  const mayGoOn = ending !== 'complete' && ending !== 'unreachable' && !isRefused
  if (request.isUnbounded && mayGoOn) recovery.noteLeftWork(nameOf(request), mode)
  else if (ending === 'timeout' || ending === 'unreachable') recovery.noteSilence(nameOf(request), mode)
}

const bodyCharsShown = 160

/** A request in a few words, without its key. */
function nameOf({ method, path, body }: Request): string {
  if (typeof body !== 'string') return `${method} ${path}`
  return `${method} ${path} ${shorten(body, bodyCharsShown)}`
}

function refuseWhenSpent({ spent }: Deadline): void {
  const reason = spent()
  if (reason !== undefined) throw new Unsettled('budget', reason)
}

/** Half a check decides nothing, so the remaining time goes to checks that can still finish. */
function refuseWhatCannotEnd(
  { durationMsMax }: TargetConfig,
  { forecast, despiteSilence }: Request,
  { remainingMs }: Deadline,
): void {
  if (despiteSilence || forecast === undefined || forecast.leftMs <= remainingMs()) return
  const left = Math.ceil(remainingMs() / 1000)
  throw new Unsettled(
    'budget',
    `the ${left} s left of the ${Math.round(durationMsMax / 1000)} s of --max-time are not enough for it`,
  )
}

/** Tells the pacer whether the request met a limit. */
function pace(pacer: Pacer, made: Exchange, request: Request, remainingMs: number): void {
  if (!isLimit(made, request)) {
    pacer.passed()
    return
  }
  const askedMs = retryAfterMs(headerOf(made, 'retry-after'), Date.now()) ?? 0
  pacer.limited(Math.min(askedMs, retryAfterMsMax, Math.max(0, remainingMs)))
  if (request.burst !== true) pacer.crowded()
}

/** Only the main key's limit concerns the other requests. */
function isLimit({ head }: Exchange, { key, isPlain }: Request): boolean {
  return (head?.status === 429 && key === undefined) || (head?.status === 503 && isPlain === true)
}

export function urlOf({ baseUrl, apiPath }: TargetConfig, path: string): string {
  return baseUrl + (path.startsWith('//') ? path.slice(1) : apiPath + path)
}

/** Own headers first, so that a check can replace any of them; then the user's `--header`, then the defaults. */
export function headersOf(config: TargetConfig, { key = config.keys.main, headers = [], body }: Request): HeaderList {
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
