import OpenAI from 'openai'
import { serve } from './serve.mjs'

const clientOf = ({ baseUrl, apiKey }) => new OpenAI({ baseURL: baseUrl, apiKey })
const bodyOf = ({ model, prompt }) => ({ model, messages: [{ role: 'user', content: prompt }] })

await serve({
  list: async (order) => (await clientOf(order).models.list()).data.map(({ id }) => id),
  async create(order) {
    const { choices } = await clientOf(order).chat.completions.create(bodyOf(order))
    return choices[0].message.content
  },
  async *stream(order) {
    const chunks = await clientOf(order).chat.completions.create({ ...bodyOf(order), stream: true })
    for await (const { choices } of chunks) yield choices[0]?.delta.content
  },
})
