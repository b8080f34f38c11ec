import { expect, onTestFinished, test } from 'vitest'
import { startGateway } from '../main.ts'
import type { Wrap } from './seams.ts'

const content = 'A "quote", a \\, a\nline, \u2028, \ud83d half a pair, \u{1f600} a whole one, and "content":"".'

/** A stream, without what differs from one reply to the next. */
async function streamFrom(wraps: readonly Wrap[]): Promise<string> {
  const gateway = await startGateway({ demo: true, wraps })
  onTestFinished(() => gateway.close())
  const answer = await fetch(`${gateway.baseUrl}/api/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${gateway.demo?.apiKey}` },
    body: JSON.stringify({ model: 'small', messages: [{ role: 'user', content }], stream: true }),
  })
  return (await answer.text()).replaceAll(/chatcmpl-[0-9a-f]+/g, 'ID').replaceAll(/"created":\d+/g, '"created":0')
}

test('the events of a text are the same in one step and where a step of their making is wrapped', async () => {
  const wrapped: string[] = []
  const passing: Wrap = {
    frame: (real) => (data, call) => {
      wrapped.push(data)
      return real(data, call)
    },
  }
  const [inOneStep, byStep] = [await streamFrom([]), await streamFrom([passing])]
  expect(inOneStep).toBe(byStep)
  expect(inOneStep.match(/"content":"[^"]/g)?.length).toBeGreaterThan(40)
  expect(wrapped.length).toBeGreaterThan(40)
})
