import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { keepArrivals } from './kept-arrivals.ts'
import { startRecording } from './recording.ts'

test('however a body comes, both ends are kept, and the middle is counted and hashed', () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 600 })), (pieces) => {
      const kept = keepArrivals({ first: 2000, last: 1000 })
      for (const [atMs, bytes] of pieces.entries()) kept.add({ bytes, atMs })
      const { arrivals, omitted = { after: 0, bytes: 0, sha256: undefined } } = kept.all()
      const whole = Buffer.concat(pieces)
      const ends = Buffer.concat(arrivals.map(({ bytes }) => bytes))
      expect(kept.length()).toBe(whole.length)
      expect(ends.length + omitted.bytes).toBe(whole.length)
      expect(ends.subarray(0, omitted.after)).toEqual(whole.subarray(0, omitted.after))
      expect(ends.subarray(omitted.after)).toEqual(whole.subarray(omitted.after + omitted.bytes))
      const isAll = arrivals.length === pieces.length
      expect(omitted.sha256).toBe(isAll ? undefined : createHash('sha256').update(whole).digest('hex'))
    }),
  )
})

test('a body that comes a few bytes at a time is read as far as one that comes at once, and a million such pieces are not', async () => {
  const endingAfter = async (pieces: number) => {
    const request = { method: 'GET', url: 'http://x', headers: [] }
    const recording = startRecording(request, { silenceMsMax: 60_000, durationMsMax: 60_000, bytesMax: 1e6 }, () => {})
    for (let piece = 0; piece < pieces; piece += 1) recording.bytes(Buffer.from('7 bytes'))
    recording.end('complete')
    return (await recording.exchange).ending
  }
  expect(await endingAfter(30_000)).toBe('complete')
  expect(await endingAfter(100_000)).toBe('too-long')
})

test('a million arrivals of one byte stay small', () => {
  const kept = keepArrivals({ first: 100_000, last: 10_000 })
  for (let atMs = 0; atMs < 1_000_000; atMs += 1) kept.add({ bytes: Buffer.from('x'), atMs })
  const { arrivals, omitted } = kept.all()
  expect(arrivals.length).toBeLessThan(500)
  expect(arrivals.at(-1)?.atMs).toBe(999_999)
  expect(omitted?.bytes).toBe(1_000_000 - arrivals.length)
})
