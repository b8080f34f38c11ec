import type { ServerResponse } from 'node:http'
import { ClientLeft } from './gateway-error.ts'
import type { StreamSink } from './seams.ts'

/** A batch longer than this is sent before the turn ends. */
const BATCH_LENGTH_MAX = 65_536

/**
 * Writes text as the body of a response. What arrives in one turn of the event loop leaves in one write: a fast node
 * costs one system call for many chunks, a slow one is not delayed. Writing to a client that has left rejects.
 */
export function responseSink(response: ServerResponse, left: AbortSignal): StreamSink {
  let batch = ''
  let isScheduled = false
  let drained: Promise<void> | undefined

  const send = (bytes: string | Uint8Array): void => {
    if (left.aborted || writeChunk(response, bytes) || drained !== undefined) return
    drained = untilDrained(response).then(() => {
      drained = undefined
    })
  }
  const flush = (): void => {
    isScheduled = false
    const text = batch
    batch = ''
    if (text !== '') send(text)
  }
  const flushLater = (): void => {
    if (isScheduled) return
    isScheduled = true
    process.nextTick(flush)
  }

  return {
    write(part) {
      if (left.aborted) return Promise.reject(new ClientLeft())
      if (typeof part === 'string') {
        batch += part
        if (batch.length > BATCH_LENGTH_MAX) flush()
        else flushLater()
      } else {
        flush()
        send(part)
      }
      return drained
    },
    end() {
      flush()
      return finish(response, '', left)
    },
  }
}

/** One chunk of the body, framed here: the same four writes cost Node three times as much. */
function writeChunk(response: ServerResponse, bytes: string | Uint8Array): boolean {
  if (!response.chunkedEncoding || typeof bytes !== 'string') return response.write(bytes)
  const length = Buffer.byteLength(bytes)
  response.chunkedEncoding = false
  const isTaken = response.write(`${length.toString(16)}\r\n${bytes}\r\n`, length === bytes.length ? 'latin1' : 'utf8')
  response.chunkedEncoding = true
  return isTaken
}

/** Ends a response and waits until the socket has its last byte or the client is gone. */
export function finish(response: ServerResponse, lastPart: string, left: AbortSignal): Promise<void> {
  if (left.aborted || response.destroyed) return Promise.resolve()
  return new Promise((resolve) => {
    response.once('close', resolve)
    // Text of one byte a letter needs no encoding.
    response.end(lastPart, Buffer.byteLength(lastPart) === lastPart.length ? 'latin1' : 'utf8')
  })
}

function untilDrained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      response.off('drain', done).off('close', done)
      resolve()
    }
    response.on('drain', done).on('close', done)
  })
}
