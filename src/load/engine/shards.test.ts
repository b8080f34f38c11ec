import { expect, test } from 'vitest'
import { planOf, startByteServer } from '../test-tools.ts'
import { runShards } from './shards.ts'

test('shards tell when the load begins once all of them are ready, before the first request', async () => {
  let requests = 0
  const server = await startByteServer((socket) => {
    requests += 1
    socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}')
    return ''
  })
  const requestsWhenTold: number[] = []
  await runShards(planOf(server.url, { requestsMax: 5, shards: 2, stream: false }), {
    onReady: () => requestsWhenTold.push(requests),
  })
  await server.close()
  expect(requests).toBeGreaterThan(0)
  expect(requestsWhenTold).toEqual([0])
})
