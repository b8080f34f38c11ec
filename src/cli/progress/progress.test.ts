import { describe, expect, test } from 'vitest'
import type { Verdict } from '../../check/verdict.ts'
import { result } from '../../report/test-tools.ts'
import { createProgress, liveText, logLine, type ProgressOptions } from './progress.ts'

test('a person sees how much is done, what failed and how long it may take', () => {
  expect(liveText({ done: 100, total: 400, failed: 2, elapsedMs: 5_000 }, 'stop.ends-text')).toBe(
    '█████░░░░░░░░░░░░░░░ 100/400 · 2 failed · 5 s · about 15 s left · stop.ends-text',
  )
  expect(liveText({ done: 0, total: 400, failed: 0, elapsedMs: 0 }, '')).toContain('0/400 · 0 s')
})

test('a log gets the same in words', () => {
  expect(logLine({ done: 210, total: 396, failed: 1, elapsedMs: 96_400 })).toBe('210 of 396 checks, 1 failed, 96 s')
})

describe('--verbose', () => {
  const ended = (id: string, verdict: Verdict, durationMs: number) => ({ ...result(id, 'must', verdict), durationMs })
  const passed = ended('a.passes', { kind: 'pass', proofs: 1 }, 1234)
  const lacking = ended('a.lacks', { kind: 'untestable', cause: 'capability', reason: 'needs control' }, 0)

  function shown(live: boolean, options: ProgressOptions): string {
    const written: string[] = []
    const write = (part: string): unknown => written.push(part)
    const io = { live, err: (line: string) => void write(`${line}\n`) }
    const progress = createProgress(2, io, options, { write, columns: 80 })
    for (const one of [passed, lacking]) progress.show(one)
    progress.end()
    return written.join('')
  }

  test('shows each check as it ends, with its verdict and time, in a log too', () => {
    expect(shown(false, { quiet: false, verbose: true })).toBe('✓ a.passes · pass · 1.2 s\n– a.lacks · untestable\n')
    expect(shown(false, { quiet: true, verbose: true })).toBe('')
    expect(shown(false, { quiet: false, verbose: false })).toBe('')
  })

  test('leaves the bar below them, and takes it away at the end', () => {
    const parts = shown(true, { quiet: false, verbose: true })
      .split('\r\u001b[2K')
      .filter((part) => part !== '')
    expect(parts).toEqual([
      '✓ a.passes · pass · 1.2 s\n',
      expect.stringMatching(/^█{10}░{10} 1\/2 · /),
      '– a.lacks · untestable\n',
      expect.stringMatching(/^█{10}░{10} 1\/2 · /),
      expect.stringMatching(/^█{20} 2\/2 · /),
    ])
  })
})
