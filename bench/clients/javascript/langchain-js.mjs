import { ChatOpenAI } from '@langchain/openai'
import { serve } from './serve.mjs'

const modelOf = ({ baseUrl, apiKey, model }) => new ChatOpenAI({ model, apiKey, configuration: { baseURL: baseUrl } })

await serve({
  create: async (order) => (await modelOf(order).invoke(order.prompt)).text,
  async *stream(order) {
    for await (const chunk of await modelOf(order).stream(order.prompt)) yield chunk.text
  },
})
