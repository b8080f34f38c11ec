import { type Answer, hasItsEnd, isDecisive, isSuccess, type StreamAnswer } from '../target/answer.ts'
import { briefOf, type ChatBody, chatRequest, unstreamed } from '../target/chat.ts'
import { exceedsItsLimit } from '../target/exceeds-its-limit.ts'
import { allowRefusalOfLength, allowRefusalOfLimit } from '../target/refused-limit.ts'
import type { Request } from '../target/request.ts'
import { outcome, settle } from '../target/settle.ts'
import { Unsettled } from '../target/unsettled.ts'
import { windowOf } from '../target/window.ts'
import type { ChatOptions, CheckContext } from './context.ts'
import { incompleteness, Mismatch } from './expect.ts'
import { outlast } from './outlast.ts'
import type { Shared } from './shared.ts'

type Keep = <A extends Answer>(answer: A) => A

/** The ways in which a check asks the API; `keep` gets every answer. */
export function createAsker(
  { target, prepared, steadiness, journal, confirmedIncomplete }: Shared,
  model: () => string,
  keep: Keep,
): Pick<CheckContext, 'ask' | 'askStream' | 'probe' | 'probeStream' | 'settled' | 'send' | 'sendStream'> {
  const brief = briefOf(prepared)
  const plain = plainRequests({ target, prepared }, keep)
  const window = windowOf(target.config, prepared)
  /**
   * A silence that outlasted its repeats is the target's, and so is one of which the check has said what it means. A reply
   * that we did not read to its end is the target's fault only if it is longer than it may be.
   */
  const confirmed = <A extends Answer>(answer: A): A => {
    if (answer.exchange.ending === 'timeout' || exceedsItsLimit(answer)) confirmedIncomplete.add(answer.exchange)
    return answer
  }
  /** A target that served nothing at the start is not waited for. */
  const outlasting = <A extends Answer>(
    ask: () => Promise<A>,
    control: (alone: boolean) => Promise<boolean>,
  ): Promise<A> =>
    prepared.works.json || prepared.works.stream
      ? outlast(ask, control, { settlingMs: target.config.settlingMs, remainingMs: steadiness.remainingMs })
      : ask()
  const asking = (request: Request) => async (alone: boolean) => keep(await target.send(asAlone(request, alone)))
  const requestOf = (body: ChatBody | string, options: ChatOptions): Request =>
    chatRequest(model(), typeof body === 'string' ? body : { ...brief, ...body }, options)
  const json = async (body: ChatBody | string | Uint8Array, options: ChatOptions): Promise<Answer> => {
    const request = body instanceof Uint8Array ? { ...chatRequest('', '', options), body } : requestOf(body, options)
    return confirmed(await outlasting(() => settle(asking(request), plain.json, steadiness), plain.json))
  }
  const stream = async (body: ChatBody | string, options: ChatOptions, reading: { leaveAfterContent?: number }) => {
    const request = requestOf(body, options)
    const ask = async (alone: boolean) => keep(await target.stream(asAlone(request, alone), reading))
    return confirmed(await outlasting(() => settle(ask, plain.stream, steadiness), plain.stream))
  }
  return {
    async ask(body = {}, options = {}) {
      const answer = granted(await json(body, options), body, window)
      if (typeof body !== 'string') journal.addReplies({ asked: { model: model(), ...body }, answer })
      return answer
    },
    async askStream(body = {}, { leaveAfterContent, ...options } = {}) {
      const asked = typeof body === 'string' ? body : { ...body, stream: true }
      const reading = leaveAfterContent === undefined ? {} : { leaveAfterContent }
      const answer = granted(await stream(asked, options, reading), asked, window)
      if (typeof asked !== 'string') journal.addStreams({ asked: { model: model(), ...asked }, answer })
      return answer
    },
    probe: (body, options = {}) => json(body, options),
    probeStream: (body, { leaveAfterContent, ...options } = {}) =>
      stream(
        typeof body === 'string' ? body : { ...body, stream: true },
        options,
        leaveAfterContent === undefined ? {} : { leaveAfterContent },
      ),
    async settled(request, expected) {
      const isSettled = (answer: Answer) => (expected !== undefined && answer.status === expected) || isDecisive(answer)
      return confirmed(await settle(asking(request), plain.json, steadiness, isSettled))
    },
    async send(request) {
      const answer = keep(await target.send(request))
      return expectsSilence(request) ? confirmed(answer) : answer
    },
    async sendStream(request, reading = {}) {
      const answer = keep(await target.stream(request, reading))
      return expectsSilence(request) ? confirmed(answer) : answer
    },
  }
}

function asAlone(request: Request, alone: boolean): Request {
  return alone ? { ...request, alone } : request
}

/** Whether a check has said how long it waits, or that it asks because of a silence. */
function expectsSilence({ patienceMs, despiteSilence }: Request): boolean {
  return patienceMs !== undefined || despiteSilence === true
}

/** The control request of each mode, or that of the other mode if this one did not work at the start. */
function plainRequests({ target, prepared }: Pick<Shared, 'target' | 'prepared'>, keep: Keep) {
  const { model, works } = prepared
  // Without a known model no request can succeed: then any answer of the API shows that it is there.
  const isWell = model === undefined ? isDecisive : isSuccess
  const plainRequest = (alone: boolean) => ({ isPlain: true as const, ...(alone && { alone }) })
  const isInTime = (answer: Answer, alone: boolean): boolean =>
    !alone || target.recovery.isCalm(answer.exchange.endedAtMs)
  const json = async (alone: boolean): Promise<boolean> => {
    const answer = keep(await target.send(chatRequest(model ?? '', unstreamed(prepared), plainRequest(alone))))
    return isWell(answer) && isInTime(answer, alone)
  }
  const stream = async (alone: boolean): Promise<boolean> => {
    const request = chatRequest(model ?? '', { stream: true }, plainRequest(alone))
    const answer = keep(await target.stream(request))
    // One that never sends the end marker is accused of that, and of nothing else.
    return isSuccess(answer) && hasItsEnd(answer) && isInTime(answer, alone)
  }
  return {
    json: works.json || !works.stream ? json : stream,
    stream: works.stream || !works.json ? stream : json,
  }
}

function granted<A extends Answer>(answer: A, asked: ChatBody | string, window: number | undefined): A {
  const cut =
    answer.exchange.ending === 'complete' || answer.exchange.ending === 'left' ? '' : `, ${answer.exchange.ending}`
  if (isSuccess(answer) && (cut === '' || (answer as Answer & Partial<StreamAnswer>).done === true)) return answer
  if (answer.isPartial === true && !exceedsItsLimit(answer))
    throw new Unsettled('target', `what came was not read to its end: ${incompleteness(answer.exchange)}`)
  if (typeof asked !== 'string') allowRefusalOfLimit(answer, asked)
  allowRefusalOfLength(answer, asked, window)
  throw new Mismatch({
    what: 'answer to a valid request',
    expected: 'a 2xx status and a whole body',
    actual: `${outcome(answer)}${excerpt(answer)}`,
    exchange: answer.exchange,
    noReply: answer.status === undefined ? 'unanswered' : isSuccess(answer) ? 'broken-off' : 'refused',
    due: ['2xx'],
  })
}

function excerpt({ text }: Answer): string {
  return text === '' ? '' : `: ${text.slice(0, 300)}`
}
