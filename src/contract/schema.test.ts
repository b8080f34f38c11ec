import { expect, test } from 'vitest'
import { usageSchema } from './chat-completion.ts'
import { mismatches, mismatchesAt } from './schema.ts'

test('what is missing is called missing, and anything else is held against the schema', () => {
  expect(mismatches(usageSchema, undefined)).toEqual(['the whole value is missing'])
  expect(mismatches(usageSchema, null)).toEqual(['the whole value must be object'])
  expect(mismatchesAt(usageSchema, undefined, /^the whole value /)).toHaveLength(1)
})
