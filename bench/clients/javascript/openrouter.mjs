import { OpenRouter } from '@openrouter/sdk'
import { serve } from './serve.mjs'

const clientOf = ({ baseUrl, apiKey }) => new OpenRouter({ serverURL: baseUrl, apiKey })
const requestOf = ({ model, prompt }, stream) => ({
  chatRequest: { model, messages: [{ role: 'user', content: prompt }], stream },
})

await serve({
  async list(order) {
    const ids = []
    for await (const { result } of await clientOf(order).models.list()) ids.push(...result.data.map(({ id }) => id))
    return ids
  },
  create: async (order) => (await clientOf(order).chat.send(requestOf(order, false))).choices[0].message.content,
  async *stream(order) {
    const chunks = await clientOf(order).chat.send(requestOf(order, true))
    for await (const { choices, error } of chunks) {
      if (error) throw new Error(error.message)
      yield choices[0]?.delta.content
    }
  },
})
