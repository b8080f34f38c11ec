import { afterAll, beforeAll, expect, test } from 'vitest'
import { type RunningGateway, startGateway } from '../../../reference-server/main.ts'
import { drawFrom } from '../draw.ts'
import { raceIdleLimit } from './idle-limit.ts'
import { rollReplicas } from './replicas.ts'
import { restartUnder } from './restarts.ts'

/** Short forms of `npm run deploys`. */
test('restarts under streams cut, lose and overcharge nothing', async () => {
  const { tally, problems } = await restartUnder(150, 3)
  expect(problems).toEqual([])
  expect(tally.whole).toBeGreaterThan(300)
}, 120_000)

test('no request fails while two replicas behind a switch are replaced one after the other', async () => {
  const { tally, replaced, problems } = await rollReplicas(20, 1)
  expect(problems).toEqual([])
  expect(replaced).toBe(2)
  expect(tally.whole).toBeGreaterThan(100)
}, 120_000)

let gateway: RunningGateway
beforeAll(async () => {
  gateway = await startGateway({ demo: true, keepAliveMs: 500 })
})
afterAll(() => gateway.close())

test('no request that is sent at the idle limit is reset', async () => {
  const { served, endedBefore, crossed, reset, onTime } = await raceIdleLimit(
    {
      port: Number(new URL(gateway.baseUrl).port),
      key: gateway.demo?.apiKey ?? '',
      // Node keeps a connection for a second longer than announced.
      limitMs: 1500,
      marginMs: 20,
      sockets: 1000,
      openedPerS: 300,
    },
    drawFrom(1),
  )
  expect([reset, served + endedBefore + crossed]).toEqual([0, 1000])
  expect(onTime).toBeGreaterThan(0)
  expect(served).toBeGreaterThan(0)
  expect(endedBefore + crossed).toBeGreaterThan(0)
})
