import { expect, test } from 'vitest'
import { chatRequestSchema } from '../../contract/chat-request.ts'
import { mismatches } from '../../contract/schema.ts'
import type { StreamAnswer } from '../../target/answer.ts'
import { readAnswer } from '../../target/answer.ts'
import type { ChatBody } from '../../target/chat.ts'
import { createJournal } from './journal.ts'
import { createSamples, sampleBodies } from './samples.ts'

test.each(sampleBodies)('a sample is a request that the contract grants: %j', (body) => {
  expect(mismatches(chatRequestSchema, { model: 'small', ...body })).toEqual([])
})

test.each([
  { also: { max_tokens: 4, temperature: 0.5 }, streams: 0, replies: 1 },
  { also: { max_tokens: 4, temperature: 0.5, stream: true }, streams: 1, replies: 0 },
])('the request of a failure that is replayed is asked in its own mode: %j', async ({ also, ...times }) => {
  const asked: ChatBody[] = []
  const refused = readAnswer({
    id: 1,
    request: { method: 'POST', url: 'http://x', headers: [] },
    sentAt: 0,
    head: { status: 404, headers: [], atMs: 1 },
    arrivals: [],
    ending: 'complete',
    endedAtMs: 1,
  })
  const ask = async (body: ChatBody | string) => {
    if (typeof body !== 'string') asked.push(body)
    return refused
  }
  const stream = async (body: ChatBody): Promise<StreamAnswer> => ({
    ...(await ask(body)),
    frames: [],
    events: [],
    chunks: [],
    content: '',
    done: false,
  })
  const asker = { reply: ask, refusal: ask, stream }
  await createSamples(createJournal(), asker, { models: ['small'], also }, async () => {}).draw()
  const again = asked.filter(({ temperature }) => temperature === 0.5)
  expect(again.filter((body) => body['stream'] === true)).toHaveLength(times.streams)
  expect(again.filter((body) => body['stream'] !== true)).toHaveLength(times.replies)
})
