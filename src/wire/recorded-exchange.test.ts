import { expect, test } from 'vitest'
import { isRecordedWhole, recordExchange } from './recorded-exchange.ts'
import { createRedactor } from './redact.ts'
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

test('a record shows the shape of the credentials that were sent, and nothing of those that came back', () => {
  const key = 'sk-assay-Q7mB2vXt0Lr9ZkPd'
  const redactor = createRedactor([{ value: key, shape: '$ASSAY_API_KEY' }])
  const sent = exchange(0, 0)
  const request = { ...sent.request, headers: [['Authorization', `bearer ${key}`]] as const }
  const head = {
    status: 401,
    atMs: 1,
    headers: [
      ['Authorization', 'Bearer of-somebody-else'],
      ['X-Echo', key],
    ] as const,
  }
  const recorded = recordExchange({ ...sent, request, head }, redactor)
  expect(recorded.request.headers).toEqual([['Authorization', 'bearer $ASSAY_API_KEY']])
  expect(recorded.answer?.headers).toEqual([
    ['Authorization', 'Bearer [redacted]'],
    ['X-Echo', '[redacted]'],
  ])
  expect(JSON.stringify(recorded)).not.toContain(key)
})
