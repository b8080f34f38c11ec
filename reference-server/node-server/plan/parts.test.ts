import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { cutParts, type Part } from './parts.ts'

const parts = fc
  .array(fc.tuple(fc.nat(50), fc.uint8Array({ maxLength: 20 })), { maxLength: 8 })
  .map((pairs): Part[] => {
    const times = pairs.map(([atMs]) => atMs).sort((a, b) => a - b)
    return pairs.map(([, bytes], index) => ({ atMs: times[index] ?? 0, bytes, chunks: 1 }))
  })
const cuts = fc.oneof(
  fc.constant('bytes' as const),
  fc.integer({ min: 1, max: 30 }),
  fc.array(fc.integer({ min: 1, max: 200 })),
)
const joined = (some: readonly Part[]): Buffer => Buffer.concat(some.map(({ bytes }) => bytes))

describe('cut parts', () => {
  test('carry the same bytes, at times that do not go back', () => {
    fc.assert(
      fc.property(parts, cuts, (some, where) => {
        const pieces = cutParts(some, where)
        expect(joined(pieces).equals(joined(some))).toBe(true)
        expect(pieces.every(({ atMs }, index) => atMs >= (pieces[index - 1]?.atMs ?? 0))).toBe(true)
        expect(pieces.every(({ bytes }) => bytes.length > 0)).toBe(true)
      }),
    )
  })

  test('count a chunk in the piece that ends it', () => {
    const part = (atMs: number, text: string): Part => ({ atMs, bytes: Buffer.from(text), chunks: 1 })
    const pieces = cutParts([part(1, 'abcd'), part(2, 'ef'), part(3, 'gh')], [2, 6])
    expect(pieces.map(({ atMs, bytes, chunks }) => [atMs, Buffer.from(bytes).toString(), chunks])).toEqual([
      [1, 'ab', 0],
      [2, 'cdef', 2],
      [3, 'gh', 1],
    ])
  })

  test('end inside every character of several bytes', () => {
    const whole: Part[] = [{ atMs: 0, bytes: Buffer.from('aéb東👋'), chunks: 1 }]
    expect(cutParts(whole, 'characters').map(({ bytes }) => bytes.length)).toEqual([2, 3, 1, 2, 1, 1, 1])
  })

  test('wait for their pauses and for their own time, whichever is later', () => {
    const some = [3, 100].map((atMs): Part => ({ atMs, bytes: Buffer.from('abcd'), chunks: 1 }))
    expect(cutParts(some, 2, 10).map(({ atMs }) => atMs)).toEqual([3, 13, 100, 110])
  })

  test('are single bytes, or of one size', () => {
    const whole: Part[] = [{ atMs: 0, bytes: Buffer.from('abcde'), chunks: 1 }]
    expect(cutParts(whole, 'bytes').map(({ bytes }) => bytes.length)).toEqual([1, 1, 1, 1, 1])
    expect(cutParts(whole, 2).map(({ bytes }) => bytes.length)).toEqual([2, 2, 1])
  })
})
