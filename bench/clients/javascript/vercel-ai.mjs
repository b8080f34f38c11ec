import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { generateText, streamText } from 'ai'
import { serve } from './serve.mjs'

const askOf = ({ baseUrl, apiKey, model, prompt }) => ({
  model: createOpenAICompatible({ name: 'reference', baseURL: baseUrl, apiKey }).chatModel(model),
  prompt,
})

await serve({
  create: async (order) => (await generateText(askOf(order))).text,
  async *stream(order) {
    const leaving = new AbortController()
    const { fullStream } = streamText({ ...askOf(order), abortSignal: leaving.signal, onError() {} })
    try {
      for await (const part of fullStream) {
        if (part.type === 'error') throw part.error
        if (part.type === 'text-delta') yield part.text
      }
    } finally {
      leaving.abort()
    }
  },
})
