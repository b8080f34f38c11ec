import { describe, expect, test } from 'vitest'
import type { Exchange } from '../wire/transcript.ts'
import { type Answer, readAnswer } from './answer.ts'
import { type Steadiness, settle } from './settle.ts'
import { Unsettled } from './unsettled.ts'

function answered(status: number | undefined, ending: Exchange['ending'] = 'complete'): Answer {
  const head = status === undefined ? {} : { head: { status, headers: [['Retry-After', '0']] as const, atMs: 1 } }
  return readAnswer({
    id: 1,
    request: { method: 'POST', url: 'http://x', headers: [] },
    sentAt: 0,
    ...head,
    arrivals: [],
    ending,
    endedAtMs: 2,
  })
}

/** Answers in turn, the last one for ever. */
function inTurn(...answers: readonly Answer[]) {
  let asked = 0
  return {
    ask: async (): Promise<Answer> => {
      const answer = answers[Math.min(asked, answers.length - 1)] ?? answered(200)
      asked += 1
      return answer
    },
    times: () => asked,
  }
}

const calm = (): Steadiness => ({ passed: 0, remainingMs: () => 60_000 })
const good = async (): Promise<boolean> => true
const bad = async (): Promise<boolean> => false

describe('settle', () => {
  test.each([200, 400, 404, 500, 502])('takes a %i as it is', async (status) => {
    const { ask, times } = inTurn(answered(status))
    expect((await settle(ask, bad, calm())).status).toBe(status)
    expect(times()).toBe(1)
  })

  test.each([429, 503])('asks again behind a %i that passes', async (status) => {
    const { ask, times } = inTurn(answered(status), answered(200))
    expect((await settle(ask, good, calm())).status).toBe(200)
    expect(times()).toBe(2)
  })

  test('lets a 503 count when it stays while every control succeeds', async () => {
    const { ask, times } = inTurn(answered(503))
    expect((await settle(ask, good, calm())).status).toBe(503)
    expect(times()).toBe(4)
  })

  test('asks the last time, and every time after a silence, with nothing else in flight', async () => {
    const asked: boolean[] = []
    const asking = (answer: Answer) => async (alone: boolean) => {
      asked.push(alone)
      return answer
    }
    await settle(asking(answered(503)), good, calm())
    expect(asked.splice(0)).toEqual([false, false, false, true])
    await settle(asking(answered(undefined, 'timeout')), good, calm())
    expect(asked).toEqual([false, true])
  })

  test('learns nothing when a control fails too', async () => {
    await expect(settle(inTurn(answered(503)).ask, bad, calm())).rejects.toBeInstanceOf(Unsettled)
    await expect(settle(inTurn(answered(undefined, 'reset')).ask, bad, calm())).rejects.toBeInstanceOf(Unsettled)
  })

  test('asks more often where failures were seen to pass', async () => {
    const steadiness = calm()
    await settle(inTurn(answered(503), answered(200)).ask, good, steadiness)
    expect(steadiness.passed).toBe(1)
    const { ask, times } = inTurn(...Array.from({ length: 6 }, () => answered(503)), answered(200))
    expect((await settle(ask, good, steadiness)).status).toBe(200)
    expect(times()).toBe(7)
  })

  test('gives the first silence behind other failures its repeat', async () => {
    const cut = answered(undefined, 'reset')
    const { ask, times } = inTurn(cut, answered(undefined, 'timeout'), answered(200))
    expect((await settle(ask, good, calm())).status).toBe(200)
    expect(times()).toBe(3)
  })

  test('repeats a silence once only', async () => {
    const { ask, times } = inTurn(answered(undefined, 'timeout'))
    await settle(ask, good, calm())
    expect(times()).toBe(2)
  })
})
