import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, test, vi } from 'vitest'
import { startGateway } from '../main.ts'

const assay = join(import.meta.dirname, '..', '..', 'bin', 'assay.cjs')
const clients = 200

async function startNodeProcess(): Promise<{ child: ChildProcess; url: string; controlUrl: string }> {
  const args = ['node', '--listen', '127.0.0.1:0', '--control', '127.0.0.1:0', '--model', 'small', '--json']
  const child = spawn(process.execPath, [assay, ...args], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [line] = await once(createInterface(child.stdout), 'line')
  return { child, ...JSON.parse(String(line)) }
}

/** The text that a stream showed, and whether it said that this is all. */
function readStream(body: string): { readonly text: string; readonly done: boolean; readonly error: boolean } {
  const events = body
    .split('\n\n')
    .flatMap((event) => (event.startsWith('data: {') ? [JSON.parse(event.slice(6))] : []))
  return {
    text: events.map(({ choices }) => choices?.[0]?.delta?.content ?? '').join(''),
    done: body.endsWith('data: [DONE]\n\n'),
    error: events.some(({ error }) => error !== undefined),
  }
}

test('a node that is killed under 200 streams is shown to every client that it served, and to nobody else', async () => {
  const nodes = await Promise.all([startNodeProcess(), startNodeProcess()])
  const words = Array.from({ length: 60 }, (_, at) => `word${at} `)
  for (const { controlUrl } of nodes) {
    const script = { fragments: words, timing: { firstToken: 20, gap: 15 } }
    await fetch(`${controlUrl}/control/v1/scripts/kill`, { method: 'PUT', body: JSON.stringify(script) })
  }
  const gateway = await startGateway({
    demo: true,
    nodes: nodes.map(({ url }, at) => ({ id: `node-${at}`, url, models: ['small'] })),
    simulated: true,
  })
  let begun = 0
  const ask = async (model: string, content: string): Promise<{ status: number; body: string }> => {
    const response = await fetch(`${gateway.baseUrl}/api/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${gateway.demo?.apiKey}` },
      body: JSON.stringify({ model, stream: true, messages: [{ role: 'user', content }] }),
    })
    // The head comes with the node's first word.
    begun += 1
    return { status: response.status, body: await response.text() }
  }
  const streams = Array.from({ length: clients }, () => ask('small', 'assay-script-kill'))
  const begunWhenKilled = clients * (0.2 + 0.6 * Math.random())
  await vi.waitFor(() => expect(begun).toBeGreaterThan(begunWhenKilled), { timeout: 30_000, interval: 5 })
  nodes[0]?.child.kill('SIGKILL')
  const other = await ask('medium', 'How are you?')
  const ended = await Promise.all(streams)
  const next = await ask('small', 'assay-script-kill')
  await gateway.close()
  for (const { child } of nodes) child.kill('SIGKILL')

  const outcomes = ended.map(({ status, body }) => ({ status, ...readStream(body) }))
  // Nothing looks whole that is not, and nothing ends without a sign.
  for (const { status, text, done, error } of outcomes) {
    expect(status).toBe(200)
    expect([done, error]).toEqual(text === words.join('') ? [true, false] : [false, true])
  }
  expect(outcomes.filter(({ error }) => error).length).toBeGreaterThan(0)
  expect(outcomes.filter(({ done }) => done).length).toBeGreaterThan(0)
  expect(readStream(other.body)).toMatchObject({ done: true, error: false })
  expect(readStream(next.body)).toMatchObject({ done: true, text: words.join('') })
})
