import { type RequestOptions, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { startRecording } from './recording.ts'
import type { Exchange, SentRequest } from './transcript.ts'
import type { SendOptions } from './wire.ts'

/**
 * Sends a request with Node's own client: slower than undici, but it accepts an interim 100 that nobody asked for,
 * which HTTP allows and undici takes for a broken answer.
 */
export function sendByNode(request: SentRequest, limits: SendOptions, insecure: boolean): Promise<Exchange> {
  const recording = startRecording(request, limits, () => sending.destroy())
  const length = request.body === undefined ? [] : ['Content-Length', String(Buffer.byteLength(request.body))]
  const options: RequestOptions & { rejectUnauthorized: boolean } = {
    method: request.method,
    headers: [...request.headers.flat(), ...length, 'Host', new URL(request.url).host],
    rejectUnauthorized: !insecure,
  }
  const send = request.url.startsWith('https:') ? requestHttps : requestHttp
  const sending = send(request.url, options, (response) => {
    const pairs = response.rawHeaders
    recording.head(
      response.statusCode ?? 0,
      pairs.flatMap((name, at) => (at % 2 === 0 ? [[name, pairs[at + 1] ?? ''] as const] : [])),
    )
    response.on('data', (bytes: Buffer) => recording.bytes(bytes))
    response.on('end', () => recording.end(response.complete ? 'complete' : 'reset'))
    response.on('error', (error) => recording.end('reset', error.message))
  })
  sending.on('error', (error) => recording.end('reset', error.message))
  sending.end(request.body)
  return recording.exchange
}
