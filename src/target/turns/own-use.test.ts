import { expect, test } from 'vitest'
import type { Exchange } from '../../wire/transcript.ts'
import { readAnswer } from '../answer.ts'
import type { Request } from '../request.ts'
import type { Target } from '../target.ts'
import { countingUse } from './own-use.ts'

const request: Request = { method: 'GET', path: '/models' }

/** A target whose answers take this long, and what its requests said of their use. */
function targetOf(tookMs: number) {
  const used: (number | undefined)[] = []
  const exchange: Exchange = {
    id: 1,
    request: { method: 'GET', url: 'http://x', headers: [] },
    sentAt: 0,
    arrivals: [],
    ending: 'complete',
    endedAtMs: tookMs,
  }
  const send = async ({ usedMs }: Request) => {
    used.push(usedMs)
    return readAnswer(exchange)
  }
  return { target: { send } as unknown as Target, used }
}

test('a request says how long the earlier ones took', async () => {
  const { target, used } = targetOf(300)
  const { send } = countingUse(target, 100)
  await send(request)
  await send(request)
  await send(request)
  expect(used).toEqual([0, 300, 600])
})

test('requests that are not over count as plain ones, and those of others do not count', async () => {
  const { target, used } = targetOf(300)
  const { send } = countingUse(target, 100)
  await Promise.all([send(request), send(request), send(request)])
  await countingUse(target, 100).send(request)
  expect(used).toEqual([0, 100, 200, 0])
})
