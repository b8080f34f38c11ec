import { expect, test } from 'vitest'
import { isRecordedWhole } from './recorded-exchange.ts'
import type { Exchange } from './transcript.ts'

const exchange = (sent: number, received: number): Exchange => ({
  id: 1,
  request: { method: 'POST', url: 'http://x', headers: [], body: 'a'.repeat(sent) },
  sentAt: 0,
  arrivals: [
    { bytes: Buffer.alloc(received / 2), atMs: 1 },
    { bytes: Buffer.alloc(received / 2), atMs: 2 },
  ],
  ending: 'complete',
  endedAtMs: 3,
})

test.each([
  [100, 65_536, true],
  [65_536, 100, true],
  [65_538, 100, false],
  [100, 65_538, false],
])('a record of %d bytes sent and %d received is whole: %s', (sent, received, whole) => {
  expect(isRecordedWhole(exchange(sent, received))).toBe(whole)
})
