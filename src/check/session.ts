import { randomUUID } from 'node:crypto'
import type { BaselineOf } from '../asking/baseline.ts'
import { openPurse } from '../asking/test-account.ts'
import { type Answer, isDecisive, isSuccess, readAnswer, type StreamAnswer } from '../target/answer.ts'
import { type ChatBody, chatRequest } from '../target/chat.ts'
import type { Control } from '../target/control/control.ts'
import type { Nodes } from '../target/nodes.ts'
import type { Prepared } from '../target/prepare.ts'
import type { Request, StreamReading } from '../target/request.ts'
import { outcome, settle, type Weather } from '../target/settle.ts'
import type { Target } from '../target/target.ts'
import { Unsettled } from '../target/unsettled.ts'
import type { converse } from '../wire/raw-client.ts'
import type { Redactor } from '../wire/redact.ts'
import type { Exchange } from '../wire/transcript.ts'
import type { ChatOptions, CheckContext } from './context.ts'
import { createExpect, Departure } from './expect.ts'
import { propertyOf, type Randomness } from './property.ts'
import { allowRefusalOfLimit } from './refused-limit.ts'
import type { Journal, Samples } from './samples.ts'

/** What all checks of a run share. */
export interface Shared {
  readonly target: Target
  readonly prepared: Prepared
  readonly redactor: Redactor
  readonly journal: Journal
  readonly samples: Samples
  readonly baseline: BaselineOf
  readonly modelList: () => Promise<Answer>
  readonly weather: Weather
  readonly randomness: Randomness
  /** A word that was never used before. */
  readonly nonce: () => string
  readonly converse: typeof converse
}

/** Thrown where the target has nothing that a check could be asked of. */
export class NotApplicable extends Error {
  override readonly name = 'NotApplicable'
}

/** Thrown where another check has already said why this one can't run. */
export class Blocked extends Error {
  override readonly name = 'Blocked'
  readonly by: string

  constructor(by: string) {
    super(`blocked by ${by}`)
    this.by = by
  }
}

/** One check's own view of the target: what it received and proved is kept apart from the others'. */
export interface Session {
  readonly context: CheckContext
  readonly received: Answer[]
  /** Exchanges that it judged by, its own or others'. */
  readonly witnessed: Set<Exchange>
  proofs: number
  /** Undoes what the check changed through the control API; returns what could not be undone. */
  undo(): Promise<readonly string[]>
}

/** Exchanges of others that a check keeps as what it judged by. */
const witnessedMax = 60

/** Even behind the end of its time a run may listen this long on a raw socket. */
const leastSilenceMs = 5000

/** The share of the remaining time that a property may use: the audits behind it need some. */
const propertyTimeShare = 0.8

export function createSession(shared: Shared): Session {
  const { target, prepared, journal, redactor } = shared
  const received: Answer[] = []
  const keep = <A extends Answer>(answer: A): A => {
    received.push(answer)
    if (answer.status !== undefined && !isSuccess(answer)) journal.refusals.push(answer)
    return answer
  }
  /** What others received and this check judges by: kept with its own, up to a number. */
  const witness = ({ exchange }: Pick<Answer, 'exchange'>): void => {
    if (session.witnessed.size < witnessedMax) session.witnessed.add(exchange)
  }
  const modelInUse = (): string => {
    if (prepared.model === undefined) throw new Blocked('models.names-a-model')
    return prepared.model
  }
  const asker = createAsker(shared, keep)
  const send = async (request: Request): Promise<Answer> => keep(await target.send(request))
  const sendStream = async (request: Request, reading: StreamReading = {}): Promise<StreamAnswer> =>
    keep(await target.stream(request, reading))
  const secret = (value: string): string => {
    redactor.learn(value)
    return value
  }
  let control: Control | undefined
  const controlOf = (): Control => {
    control ??= target.control((exchange) => received.push(readAnswer(exchange)))
    return control
  }
  let nodes: Nodes | undefined
  const session: Session = {
    received,
    witnessed: new Set(),
    proofs: 0,
    undo: async () => [...((await control?.undo()) ?? []), ...((await nodes?.undo()) ?? [])],
    context: {
      target,
      prepared,
      samples: shared.samples,
      async baseline(mode) {
        const baseline = await shared.baseline(mode)
        for (const answer of baseline.answers) witness(answer)
        return baseline
      },
      modelList: async () => keep(await shared.modelList()),
      received,
      get model() {
        return modelInUse()
      },
      expect: createExpect((shownBy) => {
        session.proofs += 1
        if (shownBy !== undefined) witness(shownBy)
      }),
      async ask(body = {}, options = {}) {
        const answer = granted(await asker.json(modelInUse(), body, options), body)
        if (typeof body !== 'string') journal.replies.push({ asked: { model: modelInUse(), ...body }, answer })
        return answer
      },
      async askStream(body = {}, { leaveAfterContent, ...options } = {}) {
        const asked = typeof body === 'string' ? body : { ...body, stream: true }
        const reading = leaveAfterContent === undefined ? {} : { leaveAfterContent }
        const answer = granted(await asker.stream(modelInUse(), asked, options, reading), asked)
        if (typeof asked !== 'string') journal.streams.push({ asked: { model: modelInUse(), ...asked }, answer })
        return answer
      },
      probe: (body, options = {}) => asker.json(body instanceof Uint8Array ? '' : modelInUse(), body, options),
      probeStream: (body, options = {}) =>
        asker.stream(modelInUse(), typeof body === 'string' ? body : { ...body, stream: true }, options, {}),
      settled: (request, expected) => asker.any(request, expected),
      send,
      sendStream,
      get control() {
        return controlOf()
      },
      get nodes() {
        nodes ??= target.nodes((exchange) => received.push(readAnswer(exchange)))
        return nodes
      },
      purse: (terms, creditUsd) =>
        openPurse(
          {
            control: controlOf(),
            settlingMs: target.config.settlingMs,
            model: modelInUse,
            nonce: shared.nonce,
            secret,
            send,
            sendStream,
          },
          terms,
          creditUsd,
        ),
      converse: (steps, enough) =>
        shared.converse({
          url: target.config.baseUrl,
          steps,
          enough,
          silenceMsMax: Math.min(target.patience.silenceMsMax, Math.max(leastSilenceMs, target.remainingMs())),
          insecure: target.config.insecure,
        }),
      rawHead: (method, path, headers) => rawHead(target, method, path, headers),
      property: propertyOf(shared.randomness, () => target.remainingMs() * propertyTimeShare),
      nonce: shared.nonce,
      secret,
      undecidable: (reason) => new Unsettled('text', reason),
      notApplicable: (reason) => new NotApplicable(reason),
    },
  }
  return session
}

/** A word that occurs in no other prompt of the run. */
export function randomNonce(): string {
  return `n${randomUUID().replaceAll('-', '').slice(0, 10)}`
}

/** What `randomNonce` makes, wherever it stands in a text. */
export const noncePattern = /\bn[0-9a-f]{10}\b/g

function createAsker({ target, prepared, weather }: Shared, keep: <A extends Answer>(answer: A) => A) {
  const { works } = prepared
  // Where no model is known nothing can be granted: then any answer of the API shows that it is there.
  const isWell = prepared.model === undefined ? isDecisive : isSuccess
  const plainJson = async (): Promise<boolean> =>
    isWell(keep(await target.send(chatRequest(prepared.model ?? '', {}, { isPlain: true }))))
  const plainStream = async (): Promise<boolean> => {
    const answer = keep(await target.stream(chatRequest(prepared.model ?? '', { stream: true }, { isPlain: true })))
    return isSuccess(answer) && answer.done
  }
  return {
    any: (request: Request, expected?: number): Promise<Answer> =>
      settle(
        async () => keep(await target.send(request)),
        works.json || !works.stream ? plainJson : plainStream,
        weather,
        (answer) => (expected !== undefined && answer.status === expected) || isDecisive(answer),
      ),
    json: (model: string, body: ChatBody | string | Uint8Array, options: ChatOptions): Promise<Answer> => {
      const request =
        body instanceof Uint8Array ? { ...chatRequest('', '', options), body } : chatRequest(model, body, options)
      const control = works.json || !works.stream ? plainJson : plainStream
      return settle(async () => keep(await target.send(request)), control, weather)
    },
    stream: (model: string, body: ChatBody | string, options: ChatOptions, reading: { leaveAfterContent?: number }) => {
      const request = chatRequest(model, body, options)
      const control = works.stream || !works.json ? plainStream : plainJson
      return settle(async () => keep(await target.stream(request, reading)), control, weather)
    },
  }
}

function granted<A extends Answer>(answer: A, asked: ChatBody | string): A {
  const cut =
    answer.exchange.ending === 'complete' || answer.exchange.ending === 'left' ? '' : `, ${answer.exchange.ending}`
  if (isSuccess(answer) && (cut === '' || (answer as Answer & Partial<StreamAnswer>).done === true)) return answer
  if (typeof asked !== 'string') allowRefusalOfLimit(answer, asked)
  throw new Departure(
    'answer to a valid request',
    'a 2xx status and a whole body',
    `${outcome(answer)}${excerpt(answer)}`,
    answer.exchange,
  )
}

function excerpt({ text }: Answer): string {
  return text === '' ? '' : `: ${text.slice(0, 300)}`
}

function rawHead(
  target: Target,
  method: string,
  path: string,
  headers: readonly (readonly [string, string])[],
): string {
  const url = new URL(target.urlOf(path))
  const own = target.headersOf({ method: 'GET', path, headers })
  const lines = [
    `${method} ${url.pathname} HTTP/1.1`,
    `Host: ${url.host}`,
    ...own.map(([name, value]) => `${name}: ${value}`),
  ]
  return `${lines.join('\r\n')}\r\n\r\n`
}
