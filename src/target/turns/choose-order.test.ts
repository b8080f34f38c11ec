import { expect, test, vi } from 'vitest'
import type { Answer, StreamAnswer } from '../answer.ts'
import type { TargetConfig } from '../config.ts'
import type { Prepared } from '../prepare.ts'
import type { Request, StreamReading } from '../request.ts'
import type { Target } from '../target.ts'
import { chooseOrder } from './choose-order.ts'
import { createPacer } from './pacer.ts'

/** A target whose streams take so long, of which another request waits for the end or does not. */
function targetThat(waits: boolean, streamMs: number): Target {
  const exchange = { ending: 'complete', sentAt: 0, arrivals: [], head: { status: 200, headers: [], atMs: 0 } }
  let isStreaming = false
  const send = async (): Promise<Answer> => {
    const endedAtMs = waits && isStreaming ? streamMs + 20 : 20
    return { status: 200, exchange: { ...exchange, endedAtMs } } as unknown as Answer
  }
  const stream = async (_: Request, reading?: StreamReading): Promise<StreamAnswer> => {
    isStreaming = true
    reading?.onFirstContent?.()
    isStreaming = false
    const chunks = [0, streamMs].map((atMs) => ({ atMs, json: { choices: [{ delta: { content: 'a' } }] } }))
    return {
      status: 200,
      done: true,
      chunks,
      exchange: { ...exchange, endedAtMs: streamMs },
    } as unknown as StreamAnswer
  }
  const config: Partial<TargetConfig> = { concurrency: 8 }
  const target: Partial<Target> = { config: config as TargetConfig, send, stream, pacer: createPacer(8) }
  return target as Target
}

test.each([
  ['one at a time and slowly', true, 800, 800, { isSlow: true, isOneAtATime: true, isLeastFirst: true }],
  ['one at a time, and slowly at first only', true, 1500, 80, { isOneAtATime: true, isLeastFirst: true }],
  ['one at a time and quickly', true, 80, 80, { isOneAtATime: true, isLeastFirst: true }],
  ['several at once, and slowly', false, 800, 800, { isOneAtATime: false, isLeastFirst: false }],
  ['several at once, each of which takes long', false, 8000, 8000, { isOneAtATime: false, isLeastFirst: true }],
])('a target that serves %s', async (_, waits, plainMs, laterMs, expected) => {
  const target = targetThat(waits, laterMs)
  const works = { json: true, stream: true }
  const met: Partial<Prepared> = { model: 'small', works, plainMs, modeMs: { json: plainMs, stream: plainMs } }
  const { isSlow } = await chooseOrder(target, met as Prepared)
  const { isOneAtATime, isLeastFirst } = target.pacer
  expect({ ...(isSlow !== undefined && { isSlow }), isOneAtATime, isLeastFirst }).toEqual(expected)
})

test.each([
  [80, 4],
  [5000, 2],
])('a target whose streams come at once, after %s ms, is asked for %s streams', async (plainMs, streams) => {
  const target = targetThat(false, 0)
  const asked = vi.spyOn(target, 'stream')
  const send = target.send
  // Nothing is answered before the stream is over.
  vi.spyOn(target, 'send').mockImplementation(async (request) => {
    const answer = await send(request)
    return { ...answer, exchange: { ...answer.exchange, endedAtMs: plainMs } }
  })
  const works = { json: true, stream: true }
  await chooseOrder(target, { model: 'small', works, plainMs, modeMs: { json: plainMs, stream: plainMs } } as Prepared)
  expect(asked).toHaveBeenCalledTimes(streams)
})
