import type { IncomingMessage } from 'node:http'
import { bodyTooLarge } from './error.ts'

const BODY_BYTES_MAX = 32 * 1024 * 1024

/** How much is read and thrown away before the refusal: most clients read no answer while they send. */
const DISCARDED_BYTES_MAX = 4 * BODY_BYTES_MAX

/** The whole body. Throws `NodeError` 413 when it is too large; resolves to undefined when the other side left. */
export function readNodeBody(request: IncomingMessage): Promise<Buffer | undefined> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let length = 0
    const finish = (): void => {
      if (length > BODY_BYTES_MAX) reject(bodyTooLarge(BODY_BYTES_MAX))
      else resolve(Buffer.concat(chunks))
    }
    request.on('data', (chunk: Buffer) => {
      length += chunk.length
      if (length <= BODY_BYTES_MAX) chunks.push(chunk)
      if (length > DISCARDED_BYTES_MAX) finish()
    })
    request.on('end', finish)
    request.on('error', () => resolve(undefined))
    request.on('close', () => resolve(undefined))
  })
}
