import { afterEach, expect, test, vi } from 'vitest'
import { createTally } from './tally.ts'

afterEach(() => {
  vi.useRealTimers()
})

test('a person sees what was done last on one line, which goes away at the end', () => {
  const written: string[] = []
  const screen = { write: (part: string): unknown => written.push(part), columns: 80 }
  const tally = createTally(2, 'gateway', { live: true, err: () => {} }, screen)
  tally.count('stop-ignored')
  tally.end()
  expect(written.join('').split('\r\u001b[2K')).toEqual(['', '1/2 stop-ignored', ''])
})

test('a log gets a line a minute until the end', () => {
  vi.useFakeTimers()
  const lines: string[] = []
  const tally = createTally(700, 'gateway', { live: false, err: (line) => lines.push(line) })
  tally.count('stop-ignored')
  tally.keep('stop-ignored: it was not caught')
  vi.advanceTimersByTime(120_000)
  tally.end()
  vi.advanceTimersByTime(120_000)
  expect(lines).toEqual(['stop-ignored: it was not caught', '1 of 700 gateways, 60 s', '1 of 700 gateways, 120 s'])
})
