import type { Dispatcher } from 'undici'
import { startRecording } from '../recording.ts'
import type { Exchange, HeaderList, SentRequest } from '../transcript.ts'
import type { SendOptions } from '../wire.ts'
import { describe, endingBeforeHead } from './connection-error.ts'

/** Sends a request with undici; `once` closes its connection after it. */
export function sendByUndici(
  dispatcher: Dispatcher,
  request: SentRequest,
  limits: SendOptions,
  once: boolean,
): Promise<Exchange> {
  let control: Dispatcher.DispatchController | undefined
  const recording = startRecording(request, limits, (problem) => control?.abort(new Error(problem)))
  const { origin, pathname, search } = new URL(request.url)
  const headers = request.headers.flat()
  try {
    dispatcher.dispatch(
      { origin, path: pathname + search, method: request.method, headers, body: request.body ?? null, reset: once },
      {
        onRequestStart(controller) {
          control = controller
          if (recording.isOver()) controller.abort(new Error('the exchange is over'))
        },
        onResponseStart: (controller, status) => recording.head(status, headerPairs(controller.rawHeaders ?? [])),
        onResponseData: (_, bytes) => recording.bytes(bytes),
        onResponseEnd: () => recording.end('complete'),
        onResponseError: (_, error) =>
          recording.end(recording.hasHead() ? 'reset' : endingBeforeHead(error), describe(error)),
      },
    )
  } catch (error) {
    recording.end('unreachable', describe(error))
  }
  return recording.exchange
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
