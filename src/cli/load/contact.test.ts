import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { configFor } from '../../../suites/0-self/config.ts'
import { contact, contactBaseline } from './contact.ts'

const servers: Server[] = []
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    server.close()
  }
})

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener)
  servers.push(server)
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

test('a server that never answers is not waited for as long as a request under load', async () => {
  const baseUrl = await serve(() => {})
  await expect(
    contact(configFor(baseUrl, { timeoutMs: 600_000 }), { findsApi: true, contactSilenceMs: 200 }),
  ).rejects.toMatchObject({
    code: 'target-silent',
    exitCode: 3,
    detail: `${baseUrl} takes connections and sends nothing (silent for 200 ms).`,
  })
})

test('a list that is refused is not taken for an empty one', async () => {
  const baseUrl = await serve(({ method }, response) => {
    response.writeHead(method === 'GET' ? 500 : 404, { 'content-type': 'application/json' })
    response.end('{"error":{"message":"The books of sk-of-a-test are shut."}}')
  })
  const config = configFor(baseUrl, { keys: { main: 'sk-of-a-test' } })
  await expect(contact(config, { findsApi: true, contactSilenceMs: 2000 })).rejects.toMatchObject({
    code: 'no-list',
    exitCode: 3,
    detail: `GET ${baseUrl}/api/v1/models answered status 500 (application/json): "The books of [redacted] are shut".`,
  })
})

test('a baseline that does not answer is refused before the load, by the name of its option', async () => {
  const met = { config: configFor('http://gateway'), model: 'small' }
  const baseUrl = 'http://127.0.0.1:1'
  const settings = { baseline: { baseUrl, apiPath: '/v1', findsApi: false }, contactSilenceMs: 2000 }
  await expect(contactBaseline(met, settings)).rejects.toMatchObject({
    exitCode: 3,
    message: expect.stringMatching(
      /^Nothing answers at http:\/\/127\.0\.0\.1:1 \(ECONNREFUSED.*\)\.\nStart the gateway, or check --baseline-url\.$/,
    ),
  })
})
