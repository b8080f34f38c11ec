import { OpenAI } from '@llamaindex/openai'
import { serve } from './serve.mjs'

const modelOf = ({ baseUrl, apiKey, model }) => new OpenAI({ model, apiKey, baseURL: baseUrl })
const messagesOf = ({ prompt }) => [{ role: 'user', content: prompt }]

await serve({
  create: async (order) => (await modelOf(order).chat({ messages: messagesOf(order) })).message.content,
  async *stream(order) {
    const chunks = await modelOf(order).chat({ messages: messagesOf(order), stream: true })
    for await (const { delta } of chunks) yield delta
  },
})
