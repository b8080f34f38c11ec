import { expect, test } from 'vitest'
import type { Exchange } from '../../wire/transcript.ts'
import { readAnswer } from '../answer.ts'
import type { Request } from '../request.ts'
import type { Target } from '../target.ts'
import { forecasting } from './forecast.ts'

const request: Request = { method: 'POST', path: '/chat/completions', replyTokens: 8 }
const pace = { modeMs: { json: 400, stream: 4000 } }

/** A target whose answers take this long, and what its requests said of the time of all. */
function targetOf(tookMs: number) {
  const forecasts: (readonly number[])[] = []
  const exchange: Exchange = {
    id: 1,
    request: { method: 'GET', url: 'http://x', headers: [] },
    sentAt: 0,
    arrivals: [],
    ending: 'complete',
    endedAtMs: tookMs,
  }
  const send = async ({ forecast }: Request) => {
    forecasts.push([forecast?.allMs ?? 0, forecast?.leftMs ?? 0])
    return readAnswer(exchange)
  }
  return { target: { send, stream: send } as unknown as Target, forecasts }
}

test('a request says how long all of its check take and how long those that are left: by the pace of the target until one is answered', async () => {
  const { target, forecasts } = targetOf(10)
  const { send } = forecasting(target, 4, pace)
  await send(request)
  await send(request)
  await send(request)
  expect(forecasts).toEqual([
    [800, 800],
    [40, 30],
    [40, 20],
  ])
})

test('a longer reply takes longer, and who asks more than it said takes longer with each request', async () => {
  const { target, forecasts } = targetOf(300)
  const { send } = forecasting(target, 1, pace)
  await send({ ...request, replyTokens: 64 })
  await send(request)
  await send(request)
  expect(forecasts.map(([allMs]) => allMs)).toEqual([3200, 600, 900])
})

test('what takes no time as a reply may take long as a stream', async () => {
  const { target, forecasts } = targetOf(300)
  await forecasting(target, 4, pace).send(request)
  await forecasting(target, 4, pace).stream(request)
  expect(forecasts.map(([allMs]) => allMs)).toEqual([800, 8000])
})

test('what is under way counts, and what others ask does not', async () => {
  const { target, forecasts } = targetOf(300)
  const { send } = forecasting(target, 1, pace)
  await Promise.all([send(request), send(request), send(request), send(request)])
  await forecasting(target, 1, pace).send(request)
  expect(forecasts.map(([allMs]) => Math.round(allMs ?? 0))).toEqual([400, 566, 693, 800, 400])
})
