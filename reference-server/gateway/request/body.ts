import type { IncomingMessage } from 'node:http'
import { bodyTooLarge, ClientLeft } from '../gateway-error.ts'

const BODY_BYTES_MAX = 8 * 1024 * 1024

/** How much of a too large body is read and thrown away before it is refused: most clients read no answer while they send. */
const DISCARDED_BYTES_MAX = 4 * BODY_BYTES_MAX

/** The whole body. It listens rather than iterates, because leaving an iteration would close the connection. */
export function readBody(request: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    let chunks: Buffer[] = []
    let length = 0
    const onData = (chunk: Buffer): void => {
      length += chunk.length
      if (length <= BODY_BYTES_MAX) chunks.push(chunk)
      else chunks = []
      if (length > DISCARDED_BYTES_MAX) onEnd()
    }
    const onEnd = (): void => {
      stopListening()
      if (length > BODY_BYTES_MAX) reject(bodyTooLarge(BODY_BYTES_MAX))
      else resolve(chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks, length))
    }
    const onClose = (): void => {
      stopListening()
      reject(new ClientLeft())
    }
    const stopListening = (): void => {
      request.off('data', onData).off('end', onEnd).off('close', onClose)
    }
    request.on('data', onData).on('end', onEnd).on('close', onClose)
  })
}
