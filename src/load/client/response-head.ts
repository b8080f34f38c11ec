/** What the head of a response says about its body. */
export interface ResponseHead {
  readonly status: number
  readonly contentType: string
  /** Whether the connection may carry another request after the body. */
  readonly reusable: boolean
  readonly framing: 'chunked' | 'length' | 'close'
  /** NaN without a content-length, or with one that is not a number. */
  readonly length: number
}

/** Reads a head without its blank line; undefined if it does not begin with an HTTP/1.1 status line. */
export function readResponseHead(text: string): ResponseHead | undefined {
  const [statusLine = '', ...lines] = text.split('\r\n')
  const status = Number(/^HTTP\/1\.[01] (\d{3})(?: |$)/.exec(statusLine)?.[1] ?? Number.NaN)
  if (Number.isNaN(status)) return undefined
  const headers = new Map<string, string>()
  for (const line of lines) {
    const colon = line.indexOf(':')
    if (colon > 0) headers.set(line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim())
  }
  const isChunked = /\bchunked\b/i.test(headers.get('transfer-encoding') ?? '')
  const isEmpty = status === 204 || status === 304
  const length = isEmpty ? '0' : headers.get('content-length')
  return {
    status,
    contentType: headers.get('content-type') ?? '',
    reusable: statusLine.startsWith('HTTP/1.1') && !/\bclose\b/i.test(headers.get('connection') ?? ''),
    framing: isChunked ? 'chunked' : length === undefined ? 'close' : 'length',
    length: /^\d+$/.test(length ?? '') ? Number(length) : Number.NaN,
  }
}
