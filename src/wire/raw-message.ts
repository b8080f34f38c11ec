import type { HeaderList } from './transcript.ts'

/** One HTTP/1 answer as its bytes say. */
export interface RawMessage {
  readonly version: '1.0' | '1.1'
  readonly status: number
  readonly headers: HeaderList
  readonly body: Buffer
  /** Whether the message's own framing says that it is whole. A body that ends with its connection is never whole here. */
  readonly whole: boolean
  readonly framing: 'chunked' | 'length' | 'close' | 'both' | 'none'
}

/** Every final answer in the bytes of one connection, in order; interim 1xx answers are skipped. */
export function parseRawMessages(bytes: Buffer): RawMessage[] {
  const messages: RawMessage[] = []
  let rest = bytes
  while (rest.length > 0) {
    const parsed = parseOne(rest)
    if (parsed === undefined) break
    if (parsed.message.status >= 200) messages.push(parsed.message)
    rest = rest.subarray(parsed.size)
  }
  return messages
}

/** Whether the server says that it closes after an answer (RFC 9112, 9.3). */
export function endsConnection({ version, headers }: RawMessage): boolean {
  const options = headers
    .filter(([name]) => name.toLowerCase() === 'connection')
    .map(([, value]) => value.toLowerCase())
  return options.includes('close') || (version === '1.0' && !options.includes('keep-alive'))
}

function parseOne(bytes: Buffer): { readonly message: RawMessage; readonly size: number } | undefined {
  const headEnd = bytes.indexOf('\r\n\r\n')
  if (headEnd === -1) return undefined
  const [statusLine = '', ...lines] = bytes.subarray(0, headEnd).toString('latin1').split('\r\n')
  const [, minor, code] = /^HTTP\/1\.([01]) (\d{3})/.exec(statusLine) ?? []
  if (code === undefined) return undefined
  const status = Number(code)
  const headers = lines.map((line): readonly [string, string] => {
    const colon = line.indexOf(':')
    return [line.slice(0, colon), line.slice(colon + 1).trim()]
  })
  const bodyStart = headEnd + 4
  const framing = framingOf(status, headers)
  const { body, size, whole } = takeBody(bytes.subarray(bodyStart), framing, headers)
  return {
    message: { version: minor === '0' ? '1.0' : '1.1', status, headers, body, whole, framing },
    size: bodyStart + size,
  }
}

function framingOf(status: number, headers: HeaderList): RawMessage['framing'] {
  if (status < 200 || status === 204 || status === 304) return 'none'
  const names = new Set(headers.map(([name]) => name.toLowerCase()))
  if (names.has('transfer-encoding')) return names.has('content-length') ? 'both' : 'chunked'
  return names.has('content-length') ? 'length' : 'close'
}

function takeBody(
  bytes: Buffer,
  framing: RawMessage['framing'],
  headers: HeaderList,
): { readonly body: Buffer; readonly size: number; readonly whole: boolean } {
  if (framing === 'none') return { body: Buffer.alloc(0), size: 0, whole: true }
  if (framing === 'close') return { body: bytes, size: bytes.length, whole: false }
  if (framing === 'length') {
    const length = Number(headers.find(([name]) => name.toLowerCase() === 'content-length')?.[1])
    return { body: bytes.subarray(0, length), size: Math.min(length, bytes.length), whole: bytes.length >= length }
  }
  return takeChunks(bytes)
}

function takeChunks(bytes: Buffer): { readonly body: Buffer; readonly size: number; readonly whole: boolean } {
  const parts: Buffer[] = []
  let at = 0
  for (;;) {
    const lineEnd = bytes.indexOf('\r\n', at)
    if (lineEnd === -1) return { body: Buffer.concat(parts), size: bytes.length, whole: false }
    const length = Number.parseInt(bytes.subarray(at, lineEnd).toString('latin1'), 16)
    const start = lineEnd + 2
    if (!(length > 0)) {
      const end = bytes.indexOf('\r\n', start)
      const whole = length === 0 && end !== -1
      return { body: Buffer.concat(parts), size: whole ? end + 2 : bytes.length, whole }
    }
    parts.push(bytes.subarray(start, start + length))
    at = start + length + 2
    if (at > bytes.length) return { body: Buffer.concat(parts), size: bytes.length, whole: false }
  }
}
