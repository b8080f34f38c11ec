import { createParser } from 'eventsource-parser'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createSseParser, parseSse, type SseFrame } from './parser.ts'

const bytes = (text: string): Uint8Array => Buffer.from(text)
const events = (frames: readonly SseFrame[]): string[] => frames.flatMap((f) => (f.kind === 'event' ? [f.data] : []))

/** Frames as plain values: whether bytes came in a Buffer or a Uint8Array is of no interest. */
const plain = (frames: readonly SseFrame[]): unknown[] =>
  frames.map((frame) => ({ ...frame, raw: Buffer.from(frame.raw).toString('latin1') }))

function cutAt(whole: Uint8Array, cuts: readonly number[]): SseFrame[] {
  const parser = createSseParser()
  const at = [0, ...cuts.map((cut) => cut % (whole.length + 1)).sort((a, b) => a - b), whole.length]
  const frames = at.slice(1).flatMap((end, index) => parser.push(whole.subarray(at[index], end)))
  return [...frames, ...parser.end()]
}

const lineEnd = fc.constantFrom('\n', '\r\n', '\r')
const line = fc.oneof(
  fc.string({ unit: 'grapheme' }).map((text) => `data: ${text.replace(/[\r\n]/g, '')}`),
  fc.constantFrom('', 'data:x', 'data', ': comment', ':', 'event: e', 'id: 7', 'retry: 5', 'odd: field', '{"id":1}'),
)
const stream = fc
  .array(fc.tuple(line, lineEnd), { maxLength: 30 })
  .map((lines) => Buffer.from(lines.map(([text, end]) => text + end).join('')))

describe('the SSE parser', () => {
  test('gives the same frames however the bytes are cut', () => {
    fc.assert(
      fc.property(stream, fc.array(fc.nat(), { maxLength: 12 }), (whole, cuts) => {
        expect(plain(cutAt(whole, cuts))).toEqual(plain(parseSse(whole)))
      }),
      { numRuns: 2000 },
    )
  })

  test('gives the same frames for arbitrary bytes, one at a time', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (whole) => {
        expect(plain(cutAt(whole, [...whole.keys()]))).toEqual(plain(parseSse(whole)))
      }),
    )
  })

  test('puts every byte into exactly one frame', () => {
    fc.assert(
      fc.property(fc.oneof(stream, fc.uint8Array({ maxLength: 60 })), (whole) => {
        const kept = parseSse(whole).reduce((sum, frame) => sum + frame.raw.length, 0)
        expect(kept).toBe(whole.length)
      }),
    )
  })

  test('agrees with eventsource-parser on every legal stream', () => {
    fc.assert(
      fc.property(stream, (whole) => {
        const theirs: string[] = []
        const oracle = createParser({ onEvent: (event) => theirs.push(event.data) })
        oracle.feed(whole.toString())
        // A trailing CR holds the oracle back as it does us until the stream ends; only whole events are compared.
        oracle.reset({ consume: false })
        const ours = events(createSseParser().push(whole))
        expect(ours).toEqual(theirs.slice(0, ours.length))
        expect(theirs.length - ours.length).toBeLessThanOrEqual(1)
      }),
      { numRuns: 1000 },
    )
  })

  test.each([
    ['no space after the colon', 'data:{"a":1}\n\n', ['{"a":1}']],
    ['only one space is taken', 'data:  x\n\n', [' x']],
    ['data without a colon', 'data\n\n', ['']],
    ['fields of one event joined by a line feed', 'data: a\ndata: b\n\n', ['a\nb']],
    ['CRLF', 'data: a\r\n\r\ndata: b\r\n\r\n', ['a', 'b']],
    ['CR', 'data: a\r\rdata: b\r\r', ['a', 'b']],
    ['a comment inside an event', 'data: a\n: note\n\n', ['a']],
    ['a byte order mark', '\uFEFFdata: a\n\n', ['a']],
    ['an event that the end cuts off is dropped', 'data: a\n\ndata: b\n', ['a']],
  ])('%s', (_, text, expected) => {
    expect(events(parseSse(bytes(text)))).toEqual(expected)
  })

  test('keeps what a client would drop', () => {
    const whole = Buffer.concat([
      bytes('{"id":1}\n: c\nevent: e\n\n\ndata: '),
      Buffer.from([0xff]),
      bytes('\n\ndata: [DONE]'),
    ])
    const frames = parseSse(whole)
    expect(frames.map((f) => (f.kind === 'irregularity' ? f.what : f.kind))).toEqual([
      'unknown-field',
      'comment',
      'no-data',
      'blank-line',
      'event',
      'unterminated',
    ])
    expect(frames.map((f) => f.utf8)).toEqual([true, true, true, true, false, true])
    expect(frames.at(-1)?.end).toBe(whole.length)
  })
})
