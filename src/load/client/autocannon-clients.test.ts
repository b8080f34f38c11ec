import { expect, test } from 'vitest'
import { assertInsides, startClients } from './autocannon-clients.ts'

test('the installed autocannon has the insides that lanes take over, and makes a client a connection without connecting', async () => {
  const taken: string[] = []
  const clients = startClients({
    url: 'http://127.0.0.1:9/api/v1/chat/completions',
    headers: { 'X-Mine': 'yes' },
    body: '{}',
    connections: 3,
    adopt(client) {
      client.setBody('{"n":1}')
      taken.push(client.getRequestBuffer().toString())
    },
  })
  await clients.stop()
  expect(taken).toHaveLength(3)
  expect(taken[0]).toMatch(/^POST \/api\/v1\/chat\/completions HTTP\/1\.1\r\n/)
  expect(taken[0]).toContain('X-Mine: yes')
  expect(taken[0]?.endsWith('\r\n\r\n{"n":1}')).toBe(true)
})

test('a member that is gone is named', () => {
  expect(() => assertInsides({ parser: {} })).toThrow(
    'autocannon has changed: client.pipelinedRequests is undefined, not object.',
  )
})
