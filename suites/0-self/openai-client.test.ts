import OpenAI, { APIUserAbortError, AuthenticationError } from 'openai'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startGateway } from '../../reference-server/main.ts'

type Gateway = Awaited<ReturnType<typeof startGateway>>

let gateway: Gateway
let client: OpenAI

beforeAll(async () => {
  gateway = await startGateway({ demo: true })
  client = new OpenAI({ baseURL: `${gateway.baseUrl}/api/v1`, apiKey: gateway.demo?.apiKey ?? '', maxRetries: 0 })
})

afterAll(() => gateway.close())

const messages = [{ role: 'user' as const, content: 'Say hello to the lighthouse keeper.' }]

describe('the official openai client, with only its base address changed', () => {
  test('lists models', async () => {
    const ids = (await client.models.list()).data.map(({ id }) => id)
    expect(ids).toEqual(['small', 'medium', 'large'])
  })

  test('creates a completion', async () => {
    const reply = await client.chat.completions.create({ model: 'small', messages, max_tokens: 16 })
    expect(reply.choices[0]?.message.content).not.toBe('')
    expect(reply.usage?.completion_tokens).toBe(16)
  })

  test('streams the same text', async () => {
    const reply = await client.chat.completions.create({ model: 'small', messages })
    const stream = await client.chat.completions.create({ model: 'small', messages, stream: true })
    let text = ''
    for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? ''
    expect(text).toBe(reply.choices[0]?.message.content)
  })

  test('accumulates a stream with its helper', async () => {
    const reply = await client.chat.completions.stream({ model: 'small', messages }).finalChatCompletion()
    expect(reply.choices[0]?.finish_reason).toBe('stop')
  })

  test('can abort a stream and a reply, and the gateway still serves', async () => {
    const stream = await client.chat.completions.create({ model: 'small', messages, stream: true })
    for await (const _ of stream) {
      stream.controller.abort()
      break
    }
    const controller = new AbortController()
    const aborted = client.chat.completions.create({ model: 'small', messages }, { signal: controller.signal })
    controller.abort()
    await expect(aborted).rejects.toBeInstanceOf(APIUserAbortError)
    const after = await client.chat.completions.create({ model: 'small', messages, max_tokens: 4 })
    expect(after.usage?.completion_tokens).toBe(4)
  })

  test('throws its AuthenticationError for a wrong key', async () => {
    const stranger = new OpenAI({ baseURL: `${gateway.baseUrl}/api/v1`, apiKey: 'sk-assay-not-a-key', maxRetries: 0 })
    await expect(stranger.chat.completions.create({ model: 'small', messages })).rejects.toBeInstanceOf(
      AuthenticationError,
    )
  })

  test('reports the 503 of a model that no node serves', async () => {
    const request = client.chat.completions.create({ model: gateway.demo?.unavailableModel ?? '', messages })
    await expect(request).rejects.toMatchObject({ status: 503 })
  })
})
