import { isUtf8 } from 'node:buffer'
import type { Piece, Redactor } from './redact.ts'
import type { SentRequest } from './transcript.ts'

/**
 * A shell line that sends the request again. Keys are taken from their variables, in the form in which they were sent:
 * one that deviates from a key is written as what a shell makes of that key.
 */
export function curlOf(
  { method, url, headers, body, version, leavesAfterMs }: SentRequest,
  redactor: Redactor,
): string {
  const own = [
    ...(version === '1.0' ? [' --http1.0'] : []),
    ...(leavesAfterMs === undefined ? [] : [` -m ${leavesAfterMs / 1000}`]),
  ]
  const lines = [`curl -sS -N -i${own.join('')} -X ${method} ${quote(redactor.text(url))}`]
  for (const [name, value] of headers) {
    if (name.toLowerCase() === 'user-agent' || name.toLowerCase() === 'content-length') continue
    const pieces = piecesOfHeader(name, asTyped(value), redactor)
    lines.push(`  -H ${quotePieces([{ kind: 'plain', text: `${name}: ` }, ...pieces])}`)
  }
  if (body !== undefined) lines.push(`  --data-binary ${quoteBody(body, redactor)}`)
  return lines.join(' \\\n')
}

/** The value of a header that we sent. Where credentials stand, even a key of three letters is one. */
export function piecesOfHeader(name: string, value: string, redactor: Redactor): readonly Piece[] {
  const holdsCredentials = /^(authorization|x-api-key)$/i.test(name)
  return holdsCredentials ? redactor.pieces(value) : [{ kind: 'plain', text: redactor.text(value) }]
}

/** On the wire a character is a byte; a shell sends the bytes of UTF-8. */
function asTyped(value: string): string {
  const bytes = Buffer.from(value, 'latin1')
  return isUtf8(bytes) ? bytes.toString('utf8') : value
}

const bodyCharsMax = 2000

function quoteBody(body: string | Uint8Array, redactor: Redactor): string {
  const areNoText = typeof body !== 'string' && !isUtf8(body)
  const text = typeof body === 'string' ? body : Buffer.from(body).toString(areNoText ? 'latin1' : 'utf8')
  if (text.length > bodyCharsMax) return quote(`@body.json # ${text.length} characters, kept in the evidence`)
  // Bytes that are no text are each a character here.
  return quote(redactor.text(text), areNoText ? isNoAscii : isControl)
}

/** A shape has to be expanded by the shell, so what stands beside it is escaped. */
function quotePieces(pieces: readonly Piece[]): string {
  if (pieces.every(({ kind }) => kind === 'plain'))
    return quote(pieces.map((piece) => (piece.kind === 'plain' ? piece.text : '')).join(''))
  return `"${pieces.map((piece) => (piece.kind === 'plain' ? piece.text.replace(/[\\"$`]/g, '\\$&') : piece.shape)).join('')}"`
}

/** A control character is escaped: a terminal shows nothing of it, or does what it says. */
function quote(text: string, isEscaped = isControl): string {
  if (![...text].some(isEscaped)) return `'${text.replaceAll("'", `'\\''`)}'`
  const escaped = [...text.replace(/[\\']/g, '\\$&')].map((one) =>
    isEscaped(one) ? `\\x${one.charCodeAt(0).toString(16).padStart(2, '0')}` : one,
  )
  return `$'${escaped.join('')}'`
}

function isControl(char: string): boolean {
  return (char < ' ' && char !== '\n' && char !== '\t') || char === '\x7f'
}

function isNoAscii(char: string): boolean {
  return isControl(char) || char > '\x7f'
}
