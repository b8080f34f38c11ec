import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { startGateway } from '../main.ts'

test.each([
  ['without a host is refused', '', /^HTTP\/1.1 400 .*"code":"host_missing"/s],
  [
    'with an expectation that nobody knows is served',
    'host: x\r\nexpect: much\r\n',
    /^HTTP\/1.1 401 .*"code":"invalid_api_key"/s,
  ],
])('a request %s', async (_, headers, answer) => {
  const gateway = await startGateway()
  const socket = connect(Number(new URL(gateway.baseUrl).port), '127.0.0.1')
  socket.write(`GET /api/v1/models HTTP/1.1\r\nconnection: close\r\n${headers}\r\n`)
  let said = ''
  socket.on('data', (bytes) => {
    said += bytes
  })
  await once(socket, 'close')
  expect(said).toMatch(answer)
  await gateway.close()
})
