import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { ClientLeft } from '../gateway/gateway-error.ts'
import type { ChatRequest } from '../gateway/request/chat-request.ts'
import type { Call, Wrap } from '../gateway/seams.ts'
import type { Asked, OwnedKey, Scene } from './scene.ts'

const heads = new WeakMap<OwnedKey, IncomingMessage>()
const unusedSocket = new Socket()
const unusedResponse = new ServerResponse(new IncomingMessage(unusedSocket))

/** The head of a request with this key. Nobody changes it, so all requests of a key share one. */
function headWith(key: OwnedKey): IncomingMessage {
  let request = heads.get(key)
  if (request === undefined) {
    request = new IncomingMessage(unusedSocket)
    request.rawHeaders.push('Host', 'gateway', 'Authorization', `Bearer ${key.value}`)
    request.headers.host = 'gateway'
    request.method = 'POST'
    request.url = '/api/v1/chat/completions'
    heads.set(key, request)
  }
  return request
}

const askedBy = new WeakMap<Call, Asked>()

/** What a call of the gateway is about. */
export function askedIn(call: Call): Asked {
  const asked = askedBy.get(call)
  if (asked === undefined) throw new Error('nobody asked for this')
  return asked
}

/** Sends a request to its process. The client leaves when the signal aborts. */
export function send(scene: Scene, asked: Asked, left: AbortSignal): void {
  const { process, number, key } = asked
  const call: Call = { request: headWith(key), response: unusedResponse, number, left, tried: new Set() }
  askedBy.set(call, asked)
  void process.seams.serve(call).then(
    () => {
      asked.isOver = true
      scene.say?.(`request ${number} is over: ${asked.status} ${asked.code ?? ''} ${asked.received} tokens`)
    },
    (error: unknown) => scene.problems.push(`request ${number} failed: ${error}`),
  )
}

/** In place of sockets: what comes from the client and what goes to it. */
export const wire: Wrap = {
  readBody: () => async () => Buffer.alloc(0),
  parseBody: () => () => undefined,
  validate: () => (_value, call) => bodyOf(askedIn(call)),
  countPromptTokens: () => (_request, call) => askedIn(call).promptTokens,
  hold: (real) => async (most, caller, call) => {
    const hold = await real(most, caller, call)
    askedIn(call).requestId = hold.requestId
    return hold
  },
  errorAnswer: (real) => (error, call) => {
    askedIn(call).code = error.code
    return real(error, call)
  },
  sendBody:
    () =>
    async ({ status }, body, call) => {
      const asked = askedIn(call)
      // After the head of a stream there is no other status: the connection breaks off.
      if (isOutOfReach(call) || asked.status !== undefined) return
      asked.status = status
      if (status !== 200) return
      asked.received = Number(/"completion_tokens":(\d+)/.exec(body)?.[1])
      asked.isWhole = true
    },
  openStream:
    () =>
    ({ status }, call) => {
      const asked = askedIn(call)
      if (!isOutOfReach(call)) asked.status = status
      return {
        write(part) {
          if (isOutOfReach(call)) return Promise.reject(new ClientLeft())
          asked.received += /"content":"(w+)"/.exec(String(part))?.[1]?.length ?? 0
          if (part === 'data: [DONE]\n\n') asked.isWhole = true
          return undefined
        },
        end: async () => {},
      }
    },
}

function isOutOfReach(call: Call): boolean {
  return call.left.aborted || askedIn(call).process.life.isOver
}

function bodyOf({ model, tokensMax, isStream }: Asked): ChatRequest {
  return {
    model: model.id,
    messages: [{ role: 'user', content: 'hello' }],
    stream: isStream,
    includeUsage: false,
    tokensMax,
    stop: [],
    temperature: 1,
    topP: 1,
    extras: {},
  }
}
