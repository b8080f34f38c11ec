import { expect, test } from 'vitest'
import { liveText, logLine } from './progress.ts'

test('a person sees how much is done, what failed and how long it may take', () => {
  expect(liveText({ done: 100, total: 400, failed: 2, elapsedMs: 5_000 }, 'stop.ends-text')).toBe(
    '█████░░░░░░░░░░░░░░░ 100/400 · 2 failed · 5 s · about 15 s left · stop.ends-text',
  )
  expect(liveText({ done: 0, total: 400, failed: 0, elapsedMs: 0 }, '')).toContain('0/400 · 0 s')
})

test('a log gets the same in words', () => {
  expect(logLine({ done: 210, total: 396, failed: 1, elapsedMs: 96_400 })).toBe('210 of 396 checks, 1 failed, 96 s')
})
