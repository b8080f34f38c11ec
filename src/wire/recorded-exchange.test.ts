import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { isRecordedWhole, recordExchange } from './recorded-exchange.ts'
import { createRedactor } from './redact.ts'
import { readRecorded } from './tape.ts'
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

test('a short key that comes back alone in a header of credentials is no exception', () => {
  const key = 'sk-abc1234'
  const head = { status: 200, atMs: 1, headers: [['Authorization', key]] as const }
  const recorded = recordExchange(
    { ...exchange(0, 0), head },
    createRedactor([{ value: key, shape: '$ASSAY_API_KEY' }]),
  )
  expect(recorded.answer?.headers).toEqual([['Authorization', '[redacted]']])
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

test('a record of a long body has both of its ends, says what is left out, and is no tape', () => {
  const pieces = Array.from({ length: 100 }, (_, at) => Buffer.from(`${at} ${'€'.repeat(1000)}\n`))
  const arrivals = pieces.map((bytes, atMs) => ({ bytes, atMs }))
  const head = { status: 200, atMs: 1, headers: [] }
  const recorded = recordExchange({ ...exchange(0, 0), head, arrivals }, createRedactor())
  const { body, omitted } = recorded.answer ?? {}
  const text = body !== undefined && 'text' in body ? body.text : ''
  const whole = Buffer.concat(pieces)
  const sha256 = createHash('sha256').update(whole).digest('hex')
  expect([text.startsWith('0 €'), text.endsWith('€\n')]).toEqual([true, true])
  expect(text).toContain(`(${omitted?.bytes} bytes are left out here; SHA-256 of all ${whole.length}: ${sha256})`)
  expect(text.length).toBeLessThan(65_536)
  expect(omitted?.sha256).toBe(sha256)
  expect(readRecorded(recorded, 1)).toBeUndefined()
})
