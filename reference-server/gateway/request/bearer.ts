import type { IncomingMessage } from 'node:http'

const BEARER = /^bearer +(\S+)$/i

/** The key in `Authorization: Bearer KEY`. A repeated header counts as no key: nobody knows which was meant. */
export function bearerKey({ rawHeaders }: IncomingMessage): string | undefined {
  let value: string | undefined
  for (let at = 0; at < rawHeaders.length; at += 2) {
    if (rawHeaders[at]?.toLowerCase() !== 'authorization') continue
    if (value !== undefined) return undefined
    value = rawHeaders[at + 1]
  }
  return value === undefined ? undefined : BEARER.exec(value)?.[1]
}
