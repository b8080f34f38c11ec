import { expect, test } from 'vitest'
import { readTrace } from './trace.ts'

test.each([
  ['TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 18:15:46.6805900,374,44\n2023-11-16 18:15:47.6805900,10,5\n'],
  [
    '{"timestamp":27482,"input_length":374,"output_length":44,"hash_ids":[1]}\n{"timestamp":28482,"input_length":10,"output_length":5}',
  ],
  ['t,in,out\n1.5,374,44\n2.5,10,5'],
])('a trace in a known shape is read: %s', (text) => {
  expect(readTrace(text)).toEqual([
    { atMs: 0, promptTokens: 374, completionTokens: 44 },
    { atMs: 1000, promptTokens: 10, completionTokens: 5 },
  ])
})

test.each([
  ['a,b\n1,2', 'request 1 of the trace has no time'],
  ['{"t":1}\nnonsense', 'line 2 of the trace is not a JSON object'],
  ['t,in,out\n', 'the trace holds no request'],
])('%j is refused', (text, reason) => {
  expect(() => readTrace(text)).toThrow(reason)
})
