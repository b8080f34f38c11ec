import { startReferenceGateway } from 'inference-assay'
import { afterAll, beforeAll, expect, test } from 'vitest'

let gateway: Awaited<ReturnType<typeof startReferenceGateway>>
beforeAll(async () => {
  gateway = await startReferenceGateway({ demo: true })
})
afterAll(() => gateway.close())

test('a reply of our client', async () => {
  const reply = await fetch(`${gateway.baseUrl}/api/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${gateway.demo?.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'small', messages: [{ role: 'user', content: 'Hello' }], max_tokens: 5 }),
  })
  expect(reply.status).toBe(200)
  expect(await reply.json()).toMatchObject({ usage: { completion_tokens: 5 } })
})
