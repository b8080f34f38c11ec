import type { Dispatcher } from 'undici'
import type { RawReply } from '../node.ts'
import { ArrivingBody } from './arriving-body.ts'

const left = new DOMException('nobody reads the reply any more', 'AbortError')

/** Resolves with a reply when its head is here; its body is read as it arrives, without a stream in between. */
export function askNode(
  dispatcher: Dispatcher,
  request: Dispatcher.DispatchOptions,
  signal: AbortSignal,
): Promise<RawReply> {
  return new Promise((resolve, reject) => {
    let body: ArrivingBody | undefined
    let abort: (() => void) | undefined
    const stopListening = (): void => signal.removeEventListener('abort', onAbort)
    const fail = (error: unknown): void => {
      stopListening()
      if (body === undefined) reject(error)
      else body.breakOff(error)
    }
    /** A request that still waits for a connection is not waited for. */
    function onAbort(): void {
      if (abort === undefined) fail(signal.reason)
      else abort()
    }
    signal.addEventListener('abort', onAbort)
    dispatcher.dispatch(request, {
      onRequestStart(controller) {
        abort = () => controller.abort(signal.reason)
        if (signal.aborted) abort()
      },
      onResponseStart(controller, status, headers) {
        if (status < 200) return
        body = new ArrivingBody({
          pause: () => controller.pause(),
          resume: () => controller.resume(),
          leave: () => controller.abort(left),
        })
        resolve({ status, headers, body })
      },
      onResponseData: (_, bytes) => body?.push(bytes),
      onResponseEnd() {
        stopListening()
        body?.end()
      },
      onResponseError: (_, error) => fail(error),
    })
    if (signal.aborted) onAbort()
  })
}
