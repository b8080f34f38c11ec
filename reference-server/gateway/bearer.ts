import type { IncomingMessage } from 'node:http'

const BEARER = /^bearer +(\S+)$/i

/** The key in `Authorization: Bearer KEY`. A repeated header counts as no key: nobody knows which was meant. */
export function bearerKey(request: IncomingMessage): string | undefined {
  const values = request.rawHeaders.filter(
    (_, index, raw) => raw[index - 1]?.toLowerCase() === 'authorization' && index % 2 === 1,
  )
  const [value] = values
  return values.length === 1 && value !== undefined ? BEARER.exec(value)?.[1] : undefined
}
