import type { IncomingMessage } from 'node:http'
import { bodyTooLarge } from './node-error.ts'

const BODY_BYTES_MAX = 32 * 1024 * 1024

/** The whole body. Throws `NodeError` 413 at once when it is too large; resolves undefined when the other side left. */
export function readNodeBody(request: IncomingMessage): Promise<Buffer | undefined> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let length = 0
    request.on('data', (chunk: Buffer) => {
      length += chunk.length
      if (length <= BODY_BYTES_MAX) chunks.push(chunk)
      else reject(bodyTooLarge(BODY_BYTES_MAX))
    })
    request.on('end', () => resolve(Buffer.concat(chunks)))
    request.on('error', () => resolve(undefined))
    request.on('close', () => resolve(undefined))
  })
}
