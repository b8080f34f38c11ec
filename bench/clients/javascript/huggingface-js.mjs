import { InferenceClient } from '@huggingface/inference'
import { serve } from './serve.mjs'

const clientOf = ({ baseUrl, apiKey }) => new InferenceClient(apiKey, { endpointUrl: baseUrl })
const bodyOf = ({ model, prompt }) => ({ model, messages: [{ role: 'user', content: prompt }] })

await serve({
  create: async (order) => (await clientOf(order).chatCompletion(bodyOf(order))).choices[0].message.content,
  async *stream(order) {
    const leaving = new AbortController()
    try {
      const chunks = clientOf(order).chatCompletionStream(bodyOf(order), { signal: leaving.signal })
      for await (const { choices } of chunks) yield choices[0]?.delta.content
    } finally {
      leaving.abort()
    }
  },
})
