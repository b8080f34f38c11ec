import { expect, test } from 'vitest'
import { HarnessError, judge, startNode, startReferenceGateway } from '../../src/index.ts'

test('judge() tests a reference gateway through the typed API', async () => {
  const gateway = await startReferenceGateway({ demo: true })
  try {
    const report = await judge({
      'base-url': new URL(gateway.baseUrl).origin,
      'api-key': gateway.demo?.apiKey,
      only: ['models.*', 'stream.ends-with-done'],
      runs: 5,
    })
    expect(report.gate).toMatchObject({ exitCode: 0, level: 'must' })
    expect(report.results.map(({ id }) => id)).toContain('stream.ends-with-done')
    expect(JSON.stringify(report)).not.toContain(gateway.demo?.apiKey)
  } finally {
    await gateway.close()
  }
})

test('a wrong option is an error that names it', async () => {
  const wrong = judge({ 'base-url': 'http://127.0.0.1:9', seed: 'many' })
  await expect(wrong).rejects.toThrow(HarnessError)
  await expect(wrong).rejects.toThrow('--seed must be a whole number')
})

test('startNode() starts a node that answers and records what it saw', async () => {
  const node = await startNode({ models: ['small'] })
  node.script('hello', { fragments: ['Hello.'] })
  const body = { model: 'small', messages: [{ role: 'user', content: 'assay-script-hello' }] }
  const reply = await fetch(`${node.url}/v1/chat/completions`, { method: 'POST', body: JSON.stringify(body) })
  expect(await reply.json()).toMatchObject({ choices: [{ message: { content: 'Hello.' } }] })
  expect(node.records('hello')).toHaveLength(1)
  await node.close()
})

test('a gateway is wrong in the ways that are named, and a way that does not exist is an error', async () => {
  const gateway = await startReferenceGateway({ demo: true, faults: ['sse-no-done'] })
  const reply = await fetch(`${gateway.baseUrl}/api/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${gateway.demo?.apiKey}` },
    body: JSON.stringify({ model: 'small', stream: true, messages: [{ role: 'user', content: 'Hello' }] }),
  })
  expect(await reply.text()).toMatch(/^data: \{(?![\s\S]*\[DONE\])/)
  await gateway.close()
  const unknown = startReferenceGateway({ faults: ['sse-no-don'] })
  await expect(unknown).rejects.toThrow(
    'faults: sse-no-don: no fault or variant has this name. Did you mean "sse-no-done"',
  )
})
