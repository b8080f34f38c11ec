import { afterEach, expect, test } from 'vitest'
import { type Running, startAssay } from '../assay.ts'

let gateway: Running
afterEach(() => {
  gateway.child.kill('SIGKILL')
})

/** A stream of the gateway's command that has begun. */
async function streaming(...options: readonly string[]) {
  gateway = startAssay([
    ...['gateway', '--demo', '--json', '--listen', '127.0.0.1:0', '--store', 'memory', '--pace', 'profile'],
    ...options,
  ])
  const { out } = await gateway.hasSaid('"baseUrl"')
  const { baseUrl, apiKey } = JSON.parse(out)
  const chat = (stream: boolean): Promise<Response> =>
    fetch(`${baseUrl}/api/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${apiKey}` },
      body: JSON.stringify({
        model: 'small',
        messages: [{ role: 'user', content: 'Count.' }],
        max_tokens: 200,
        stream,
      }),
    })
  return { stream: await chat(true), chat }
}

test.each(['SIGTERM', 'SIGINT'] as const)('the gateway drains after %s, and says what it waits for', async (signal) => {
  const { stream, chat } = await streaming()
  gateway.child.kill(signal)
  await gateway.hasSaid('Stopping: waiting at most 30 s for 1 request under way; new ones get a 503')
  const refused = await chat(false)
  expect([refused.status, refused.headers.has('retry-after')]).toEqual([503, true])
  expect(await stream.text()).toMatch(/data: \[DONE\]\s*$/)
  const { exitCode, err } = await gateway.finished
  expect(err).not.toContain('cut off')
  expect(exitCode).toBe(0)
})

test('--drain bounds the wait, and the gateway says what it cut off', async () => {
  const { stream } = await streaming('--drain', '0')
  gateway.child.kill('SIGTERM')
  await expect(stream.text()).rejects.toThrow()
  const { exitCode, err } = await gateway.finished
  expect(err).toContain('Stopping: waiting at most 0 s for 1 request under way')
  expect(err).toContain('1 request cut off.')
  expect(exitCode).toBe(0)
})

test('a gateway without requests stops at once', async () => {
  const { stream } = await streaming()
  await stream.text()
  gateway.child.kill('SIGTERM')
  const { exitCode, err } = await gateway.finished
  expect(err).toContain('Stopping: no request is under way.')
  expect(exitCode).toBe(0)
})
