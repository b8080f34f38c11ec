import { expect, test } from 'vitest'
import { chatRequestSchema } from '../../contract/chat-request.ts'
import { mismatches } from '../../contract/schema.ts'
import { sampleBodies } from './samples.ts'

test.each(sampleBodies)('a sample is a request that the contract grants: %j', (body) => {
  expect(mismatches(chatRequestSchema, { model: 'small', ...body })).toEqual([])
})
