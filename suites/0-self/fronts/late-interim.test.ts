import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { startEmbedded } from '../../../src/run/embedded.ts'
import { execute } from '../../../src/run/execute.ts'
import { configFor } from '../config.ts'

test.each([
  ['after a second and a half', 'pass', 1500],
  ['never', 'fail', Number.POSITIVE_INFINITY],
])('an interim answer that comes %s: %s', async (_, verdict, interimMs) => {
  const embedded = await startEmbedded({ seed: 1, withNodes: false })
  const handOn = (asked: IncomingMessage, response: ServerResponse): void => {
    const { expect: _expectation, ...headers } = asked.headers
    const onward = request(`${embedded.known.baseUrl}${asked.url}`, { method: asked.method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(response)
    })
    onward.on('error', () => response.destroy())
    asked.pipe(onward)
  }
  const front = createServer(handOn).on('checkContinue', async (asked, response) => {
    if (interimMs < Number.POSITIVE_INFINITY) {
      await sleep(interimMs)
      response.writeContinue()
    }
    handOn(asked, response)
  })
  await once(front.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(async () => {
    front.closeAllConnections()
    front.close()
    await embedded.close()
  })
  const { port } = front.address() as AddressInfo
  const { results } = await execute({
    config: configFor(`http://127.0.0.1:${port}`, { keys: embedded.known.keys }),
    selected: ['http.expect-continue'],
    randomness: { seed: 1, runs: 5 },
    keepAll: false,
  })
  expect(results.map(({ verdict: { kind } }) => kind)).toEqual([verdict])
})
