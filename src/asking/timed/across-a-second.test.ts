import { expect, test } from 'vitest'
import type { CheckContext } from '../../check/context.ts'
import type { StreamAnswer } from '../../target/answer.ts'
import { acrossASecondCost, streamsAcrossASecond } from './across-a-second.ts'

/** A stream of five pieces; the last one is held back. */
function streamAt(sentAt: number, fromMs: number, toMs: number): StreamAnswer {
  const step = (toMs - fromMs) / 3
  const times = [fromMs, fromMs + step, fromMs + 2 * step, toMs, toMs + 40]
  return { status: 200, exchange: { sentAt, arrivals: times.map((atMs) => ({ atMs })) } } as unknown as StreamAnswer
}

async function askedBeside(seen: readonly StreamAnswer[], askedMs: number) {
  const sentAt: number[] = []
  const context = {
    few: <T>(values: readonly T[]) => values,
    samples: { streams: async () => seen.map((answer) => ({ answer, asked: {} })) },
    model: 'small',
    target: { patience: { silenceMsMax: 1000 } },
    async sendStream() {
      sentAt.push(Date.now())
      return streamAt(Date.now(), 2, askedMs)
    },
  } as unknown as CheckContext
  const streams: StreamAnswer[] = []
  for await (const stream of streamsAcrossASecond(context)) streams.push(stream)
  return { streams, sentAt }
}

test('where streams of the run were under way when a second began, nothing is asked', async () => {
  const crossing = streamAt(1_700_000_000_950, 20, 90)
  const { streams, sentAt } = await askedBeside([crossing, crossing], 0)
  expect([streams.length, sentAt]).toEqual([2, []])
})

test('streams of a fast server are asked for where a second begins; a piece that was held back counts for nothing', async () => {
  const heldBack = streamAt(1_700_000_000_950, 2, 30)
  const { sentAt } = await askedBeside([heldBack, heldBack, heldBack], 30)
  expect(sentAt.length).toBeGreaterThan(0)
  expect(sentAt.length).toBeLessThanOrEqual(acrossASecondCost.requests)
  const distances = sentAt.map((ms) => Math.abs(ms - Math.round(ms / 1000) * 1000))
  expect(Math.max(...distances)).toBeLessThan(150)
})
