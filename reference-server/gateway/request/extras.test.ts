import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { afterAll, expect, test } from 'vitest'
import { startGateway } from '../../main.ts'

/** A node that answers anything with one word, and keeps what it was asked. */
const asked: unknown[] = []
const node = createServer(async (request, response) => {
  if (request.method === 'POST') asked.push(await json(request))
  response.setHeader('content-type', 'application/json')
  response.end('{"choices":[{"index":0,"message":{"role":"assistant","content":"Fine."},"finish_reason":"stop"}]}')
})
await once(node.listen(0, '127.0.0.1'), 'listening')
const { port } = node.address() as AddressInfo
const gateway = await startGateway({
  demo: true,
  nodes: [{ id: 'a', url: `http://127.0.0.1:${port}`, models: ['small'] }],
})

afterAll(async () => {
  await gateway.close()
  node.close()
})

async function askedFor(change: object): Promise<unknown> {
  const messages = [{ role: 'user', content: 'Hi' }]
  const response = await fetch(`${gateway.baseUrl}/api/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${gateway.demo?.apiKey}` },
    body: JSON.stringify({ model: 'small', messages, max_tokens: 5, ...change }),
  })
  expect(response.status, await response.text()).toBe(200)
  return asked.at(-1)
}

test('a node gets what the client added, as it came', async () => {
  const extras = { user: 'u', seed: 7, metadata: { team: 'a' }, store: false }
  expect(await askedFor(extras)).toEqual({ ...Object(await askedFor({})), ...extras })
})

test('a node does not get what asks for nothing, or what might go around the limit', async () => {
  expect(await askedFor({ n: 1, tools: [], tool_choice: 'auto', n_predict: 900, user: null })).toEqual(
    await askedFor({ max_tokens: null, max_completion_tokens: 5 }),
  )
})
