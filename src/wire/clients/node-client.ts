import { Agent as HttpAgent, type RequestOptions, request as requestHttp } from 'node:http'
import { Agent as HttpsAgent, request as requestHttps } from 'node:https'
import { startRecording } from '../recording.ts'
import type { Exchange, SentRequest } from '../transcript.ts'
import type { SendOptions } from '../wire.ts'
import { describe, endingBeforeHead } from './connection-error.ts'

export interface NodeClientOptions {
  readonly insecure: boolean
  /** The variables that may name a proxy; undefined for none. */
  readonly proxyEnv: NodeJS.ProcessEnv | undefined
}

/**
 * Sends requests with Node's own client, each on a connection of its own: slower than undici, but it accepts an interim
 * 100 that nobody asked for, which HTTP allows and undici takes for a broken answer.
 */
export function createNodeClient({ insecure, proxyEnv }: NodeClientOptions) {
  const options = proxyEnv && { proxyEnv }
  const plain = new HttpAgent(options)
  const secure = new HttpsAgent({ ...options, rejectUnauthorized: !insecure })
  return {
    send(request: SentRequest, limits: SendOptions): Promise<Exchange> {
      return request.url.startsWith('https:')
        ? sendBy(requestHttps, secure, request, limits)
        : sendBy(requestHttp, plain, request, limits)
    },
    close() {
      plain.destroy()
      secure.destroy()
    },
  }
}

function sendBy(
  send: typeof requestHttp,
  agent: HttpAgent,
  request: SentRequest,
  limits: SendOptions,
): Promise<Exchange> {
  const recording = startRecording(request, limits, () => sending.destroy())
  const length = request.body === undefined ? [] : ['Content-Length', String(Buffer.byteLength(request.body))]
  const options: RequestOptions = {
    agent,
    method: request.method,
    headers: [...request.headers.flat(), ...length, 'Host', new URL(request.url).host],
  }
  const sending = send(request.url, options, (response) => {
    const pairs = response.rawHeaders
    recording.head(
      response.statusCode ?? 0,
      pairs.flatMap((name, at) => (at % 2 === 0 ? [[name, pairs[at + 1] ?? ''] as const] : [])),
    )
    response.on('data', (bytes: Buffer) => recording.bytes(bytes))
    response.on('end', () => recording.end(response.complete ? 'complete' : 'reset'))
    response.on('error', (error) => recording.end('reset', describe(error)))
  })
  sending.on('error', (error) =>
    recording.end(recording.hasHead() ? 'reset' : endingBeforeHead(error), describe(error)),
  )
  sending.end(request.body)
  return recording.exchange
}
