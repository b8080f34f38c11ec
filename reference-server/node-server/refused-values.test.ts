import { afterAll, expect, test } from 'vitest'
import { startNode } from './node-server.ts'
import { chatRequest, heard } from './test-tools.ts'

const node = await startNode({ models: ['small'], seed: 1 })
afterAll(() => node.close())

test.each([{ temperature: 'high' }, { temperature: '0.5' }, { temperature: true }, { top_p: 'high' }, { top_p: [1] }])(
  'a temperature or top_p of another type is refused, as engines do (%j)',
  async (odd) => {
    expect((await heard(node, chatRequest('Hello', odd))).head).toMatch(/^HTTP\/1\.1 400 /)
  },
)
