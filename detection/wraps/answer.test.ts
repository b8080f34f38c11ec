import { expect, test } from 'vitest'
import type { Call, Seams } from '../../reference-server/gateway/seams.ts'
import { jsonBodies } from './answer.ts'

test.each([
  ['', ''],
  ['refused\n', 'refused\n'],
  ['{"a":1}', '{\n "a": 1\n}'],
  ['[1]', '[\n 1\n]'],
])('what rewrites the JSON of bodies makes %j into %j', async (body, expected) => {
  const sent: string[] = []
  const real: Seams['sendBody'] = async (_, text) => {
    sent.push(text)
  }
  const { sendBody } = jsonBodies((json) => JSON.stringify(JSON.parse(json), null, 1))
  await sendBody?.(real)({ status: 400, headers: {} }, body, {} as Call)
  expect(sent).toEqual([expected])
})
