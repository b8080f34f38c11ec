import type { RecordedExchange } from '../../../wire/recorded-exchange.ts'

/** A part of a body that came at one moment: of an event stream at most one event. */
export interface Piece {
  /** Which of the arrivals it is of. */
  readonly arrival: number
  readonly atMs: number
  readonly bytes: number
  /** Where its text begins in the text of the whole body. */
  readonly start: number
  readonly text: string
}

/**
 * The body as it came, piece by piece. Undefined where the record does not show which text came when: the body is not text,
 * was cut, or is not as it came because a secret was taken out of it.
 */
export function piecesOf({
  answer,
  arrivals,
}: Pick<RecordedExchange, 'answer' | 'arrivals'>): readonly Piece[] | undefined {
  if (answer === undefined || answer.omitted !== undefined || !('text' in answer.body)) return undefined
  const body = Buffer.from(answer.body.text)
  if (arrivals.reduce((sum, [, bytes]) => sum + bytes, 0) !== body.length) return undefined
  const isStream = answer.headers.some(([name, value]) => /^content-type$/i.test(name) && /event-stream/i.test(value))
  let [from, due, start] = [0, 0, 0]
  return arrivals.flatMap(([atMs, bytes], arrival): readonly Piece[] => {
    due += bytes
    const to = nextCharacter(body, due)
    const text = body.toString('utf8', from, to)
    from = to
    const parts = isStream ? (text.match(event) ?? [text]) : [text]
    return parts.map((part) => {
      const piece = { arrival, atMs, bytes: Buffer.byteLength(part), start, text: part }
      start += part.length
      return piece
    })
  })
}

/** An event with the empty line that ends it, or what there is of one. */
const event = /.+?(?:\r\n\r\n|\n\n|\r\r|$)/gs

/** The first place from here on where a character begins: one that came in two pieces is shown in the first. */
function nextCharacter(body: Buffer, place: number): number {
  let at = place
  while (((body[at] ?? 0) & 0b1100_0000) === 0b1000_0000) at += 1
  return at
}
