import { type Answer, isDecisive, isSuccess, type StreamAnswer } from '../target/answer.ts'
import { type ChatBody, chatRequest } from '../target/chat.ts'
import { outcome, settle } from '../target/settle.ts'
import type { ChatOptions, CheckContext } from './context.ts'
import { Mismatch } from './expect.ts'
import { allowRefusalOfLimit } from './refused-limit.ts'
import type { Shared } from './shared.ts'

type Keep = <A extends Answer>(answer: A) => A

/** The ways in which a check asks the API; `keep` gets every answer. */
export function createAsker(
  { target, prepared, steadiness, journal }: Shared,
  model: () => string,
  keep: Keep,
): Pick<CheckContext, 'ask' | 'askStream' | 'probe' | 'probeStream' | 'settled' | 'send' | 'sendStream'> {
  const plain = plainRequests({ target, prepared }, keep)
  const json = (body: ChatBody | string | Uint8Array, options: ChatOptions): Promise<Answer> => {
    const request =
      body instanceof Uint8Array ? { ...chatRequest('', '', options), body } : chatRequest(model(), body, options)
    return settle(async () => keep(await target.send(request)), plain.json, steadiness)
  }
  const stream = (body: ChatBody | string, options: ChatOptions, reading: { leaveAfterContent?: number }) => {
    const request = chatRequest(model(), body, options)
    return settle(async () => keep(await target.stream(request, reading)), plain.stream, steadiness)
  }
  return {
    async ask(body = {}, options = {}) {
      const answer = granted(await json(body, options), body)
      if (typeof body !== 'string') journal.replies.push({ asked: { model: model(), ...body }, answer })
      return answer
    },
    async askStream(body = {}, { leaveAfterContent, ...options } = {}) {
      const asked = typeof body === 'string' ? body : { ...body, stream: true }
      const reading = leaveAfterContent === undefined ? {} : { leaveAfterContent }
      const answer = granted(await stream(asked, options, reading), asked)
      if (typeof asked !== 'string') journal.streams.push({ asked: { model: model(), ...asked }, answer })
      return answer
    },
    probe: (body, options = {}) => json(body, options),
    probeStream: (body, options = {}) =>
      stream(typeof body === 'string' ? body : { ...body, stream: true }, options, {}),
    settled: (request, expected) =>
      settle(
        async () => keep(await target.send(request)),
        plain.json,
        steadiness,
        (answer) => (expected !== undefined && answer.status === expected) || isDecisive(answer),
      ),
    send: async (request) => keep(await target.send(request)),
    sendStream: async (request, reading = {}) => keep(await target.stream(request, reading)),
  }
}

/** The control request of each mode, or that of the other mode if this one did not work at the start. */
function plainRequests({ target, prepared: { model, works } }: Pick<Shared, 'target' | 'prepared'>, keep: Keep) {
  // Without a known model no request can succeed: then any answer of the API shows that it is there.
  const isWell = model === undefined ? isDecisive : isSuccess
  const json = async (): Promise<boolean> =>
    isWell(keep(await target.send(chatRequest(model ?? '', {}, { isPlain: true }))))
  const stream = async (): Promise<boolean> => {
    const answer = keep(await target.stream(chatRequest(model ?? '', { stream: true }, { isPlain: true })))
    return isSuccess(answer) && answer.done
  }
  return {
    json: works.json || !works.stream ? json : stream,
    stream: works.stream || !works.json ? stream : json,
  }
}

function granted<A extends Answer>(answer: A, asked: ChatBody | string): A {
  const cut =
    answer.exchange.ending === 'complete' || answer.exchange.ending === 'left' ? '' : `, ${answer.exchange.ending}`
  if (isSuccess(answer) && (cut === '' || (answer as Answer & Partial<StreamAnswer>).done === true)) return answer
  if (typeof asked !== 'string') allowRefusalOfLimit(answer, asked)
  throw new Mismatch(
    'answer to a valid request',
    'a 2xx status and a whole body',
    `${outcome(answer)}${excerpt(answer)}`,
    answer.exchange,
  )
}

function excerpt({ text }: Answer): string {
  return text === '' ? '' : `: ${text.slice(0, 300)}`
}
