import { expect, test } from 'vitest'
import type { Exchange } from '../wire/transcript.ts'
import { exceedsItsLimit } from './exceeds-its-limit.ts'
import { createStreamReader, readStream } from './stream-reader.ts'

const chunkOf = (content: string): string =>
  `data: ${JSON.stringify({ id: '1', choices: [{ index: 0, delta: { content } }] })}\n\n`

/** A stream of these pieces, asked for with so many tokens at most. */
function streamOf(pieces: readonly string[], ending: Exchange['ending'] = 'complete', maxTokens?: number) {
  return readStream({
    id: 1,
    request: { method: 'POST', url: 'http://x', headers: [], body: JSON.stringify({ max_tokens: maxTokens }) },
    sentAt: 0,
    head: { status: 200, headers: [], atMs: 0 },
    arrivals: pieces.map((text, atMs) => ({ bytes: Buffer.from(text), atMs })),
    ending,
    endedAtMs: pieces.length,
  })
}

test('a stream of a hundred thousand tokens has its whole text, its end, and the first and last of its chunks', () => {
  const words = Array.from({ length: 100_000 }, (_, at) => chunkOf(`w${at} `))
  const stream = streamOf([...words, 'data: [DONE]\n\n'])
  expect([stream.done, stream.content.length, stream.isPartial]).toEqual([true, 688_890, true])
  expect(stream.chunks.length).toBeLessThan(12_000)
  expect([stream.chunks[0]?.atMs, stream.chunks.at(-1)?.atMs]).toEqual([0, 99_999])
})

test('a chunk has the time of the bytes that completed it', () => {
  const [start, end] = [chunkOf('one').slice(0, 20), chunkOf('one').slice(20)]
  expect(streamOf([start, end + chunkOf('two'), chunkOf('three')]).chunks.map(({ atMs }) => atMs)).toEqual([1, 1, 2])
})

test('a stream that goes on after its end marker is left as soon as one that is silent', () => {
  const reader = createStreamReader({}, () => 1000)
  const ping = Buffer.from(': ping\n\n')
  expect(reader.onBytes(Buffer.from('data: [DONE]\n\n'), 100)).toEqual({ endWithinMs: 1000 })
  expect([500, 2000].map((atMs) => reader.onBytes(ping, atMs))).toEqual([{ endWithinMs: 600 }, { endWithinMs: 0 }])
})

test('what follows the end marker is an event, and no part of the reply', () => {
  const done = 'data: [DONE]\n\n'
  const stream = streamOf([chunkOf('one'), done, chunkOf('two'), done])
  expect([stream.content, stream.chunks.length, stream.events.length, stream.done]).toEqual(['one', 1, 4, true])
})

test('a stream of nothing but empty lines is left', () => {
  const reader = createStreamReader({}, () => 0)
  const lines = Buffer.from('\n'.repeat(60_000))
  expect([reader.onBytes(lines, 0), reader.onBytes(lines, 1)]).toEqual(['more', 'too-long'])
})

test.each([
  ['text beyond its limit', [chunkOf('word '.repeat(200))], 8, true],
  ['text within its limit', [chunkOf('word '.repeat(100))], 8, false],
  ['text beyond its limit in an event that has no end', [chunkOf('x'.repeat(9000)).slice(0, 5000)], 8, true],
  ['comments', [':\n\n'.repeat(10_000)], 8, false],
  ['a line that has no end', [`data: ${'x'.repeat(9000)}`], 8, false],
  ['any text, and has no limit', [chunkOf('word '.repeat(9000))], undefined, false],
])('a stream that was not read to its end and has %s: %#', (_, pieces, limit, exceeds) => {
  expect(exceedsItsLimit(streamOf(pieces, 'too-long', limit))).toBe(exceeds)
})
