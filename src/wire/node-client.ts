import { type RequestOptions, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import type { SendOptions } from './client.ts'
import type { Arrival, Ending, Exchange, SentRequest } from './transcript.ts'

/**
 * Sends a request with Node's own client: slower than undici, and at peace with an interim 100 that nobody asked for,
 * which HTTP allows and undici takes for a broken answer.
 */
export function sendByNode(
  id: number,
  request: SentRequest,
  limits: SendOptions,
  insecure: boolean,
): Promise<Exchange> {
  const { promise, resolve } = Promise.withResolvers<Exchange>()
  const sentAt = Date.now()
  const start = performance.now()
  const elapsedMs = (): number => performance.now() - start
  const arrivals: Arrival[] = []
  let head: Exchange['head']
  let ended = false
  let silence = setTimeout(leave, limits.silenceMsMax, 'timeout', `silent for ${limits.silenceMsMax} ms`)
  const duration = setTimeout(leave, limits.durationMsMax, 'timeout', `unfinished after ${limits.durationMsMax} ms`)
  const secure = request.url.startsWith('https:')
  const headers = request.headers.flat()
  const length = request.body === undefined ? [] : ['Content-Length', String(Buffer.byteLength(request.body))]
  const options: RequestOptions & { rejectUnauthorized: boolean } = {
    method: request.method,
    headers: [...headers, ...length, 'Host', new URL(request.url).host],
    rejectUnauthorized: !insecure,
  }
  const sending = (secure ? requestHttps : requestHttp)(request.url, options, (response) => {
    const pairs = response.rawHeaders
    head = {
      status: response.statusCode ?? 0,
      headers: pairs.flatMap((name, at) => (at % 2 === 0 ? [[name, pairs[at + 1] ?? ''] as const] : [])),
      atMs: elapsedMs(),
    }
    listen(limits.silenceMsMax, 'timeout', `silent for ${limits.silenceMsMax} ms`)
    response.on('data', (bytes: Buffer) => {
      const atMs = elapsedMs()
      arrivals.push({ bytes, atMs })
      const appetite = limits.onBytes?.(bytes, atMs) ?? 'more'
      if (appetite === 'leave') leave('left', 'the rest was not read')
      else if (appetite === 'more') listen(limits.silenceMsMax, 'timeout', `silent for ${limits.silenceMsMax} ms`)
      else listen(appetite.endWithinMs, 'left', `still open ${appetite.endWithinMs} ms after its last event`)
    })
    response.on('end', () => finish(response.complete ? 'complete' : 'reset'))
    response.on('error', (error) => finish('reset', error.message))
  })
  sending.on('error', (error) => finish('reset', error.message))
  sending.end(request.body)

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
    sending.destroy()
  }

  function listen(ms: number, ending: Ending, problem: string): void {
    clearTimeout(silence)
    silence = setTimeout(leave, ms, ending, problem)
  }

  return promise
}
