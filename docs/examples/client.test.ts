import { type RunningGateway, type RunningNode, startNode, startReferenceGateway } from 'inference-assay'
import OpenAI, { RateLimitError } from 'openai'
import { afterAll, beforeAll, expect, test } from 'vitest'

/** The code under test: it shows a reply as it comes, and throws unless it comes to its end. */
async function show(client: OpenAI, prompt: string, print: (text: string) => void): Promise<void> {
  const messages = [{ role: 'user' as const, content: prompt }]
  const stream = await client.chat.completions.create({ model: 'small', messages, temperature: 0.3, stream: true })
  let isWhole = false
  for await (const { choices } of stream) {
    print(choices[0]?.delta.content ?? '')
    isWhole ||= choices[0]?.finish_reason === 'stop'
  }
  if (!isWhole) throw new Error('The reply was cut.')
}

/** The official client with the address of a gateway. */
function clientOf({ baseUrl }: RunningGateway, apiKey = ''): OpenAI {
  return new OpenAI({ baseURL: `${baseUrl}/api/v1`, apiKey, maxRetries: 0 })
}

let node: RunningNode
let gateway: RunningGateway
let shown: string[]
beforeAll(async () => {
  node = await startNode({ models: ['small'] })
  gateway = await startReferenceGateway({ demo: true, nodes: [{ id: 'ours', url: node.url, models: ['small'] }] })
})
afterAll(async () => {
  await gateway.close()
  await node.close()
})

test('a reply that the test wrote, and what the node was asked', async () => {
  shown = []
  node.script('hello', { fragments: ['Hello', ' there.'] })
  await show(clientOf(gateway, gateway.demo?.apiKey), 'assay-script-hello', (text) => shown.push(text))
  expect(shown.join('')).toBe('Hello there.')
  const [seen] = node.records('hello')
  expect(JSON.parse(seen?.body ?? '')).toMatchObject({ temperature: 0.3, stream: true })
})

test('a node that dies in the middle of a stream', async () => {
  shown = []
  node.script('cut', { fragments: ['One ', 'two ', 'three.'], fault: { kind: 'reset-mid-stream', afterChunks: 2 } })
  const showing = show(clientOf(gateway, gateway.demo?.apiKey), 'assay-script-cut', (text) => shown.push(text))
  await expect(showing).rejects.toThrow()
  expect(shown.join('')).toBe('One two ')
})

test('a key that has reached its limit', async () => {
  const client = clientOf(gateway, gateway.demo?.limitedKey)
  const asking = Array.from({ length: 6 }, () => show(client, 'Hello', () => {}))
  const refused = (await Promise.allSettled(asking)).filter(({ status }) => status === 'rejected')
  expect(refused).toMatchObject([{ reason: expect.any(RateLimitError) }])
})

test('a gateway that never says that a reply is whole', async () => {
  const wrong = await startReferenceGateway({ demo: true, faults: ['chunk-finish-reason-never'] })
  await expect(show(clientOf(wrong, wrong.demo?.apiKey), 'Hello', () => {})).rejects.toThrow('The reply was cut.')
  await wrong.close()
})
