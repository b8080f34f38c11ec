import { createServer } from 'node:http'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { addressOf, closed, listen } from '../listening.ts'
import { startGateway } from '../main.ts'

const gapMs = 500

test('a client that reads slowly is no silence of the node', async () => {
  const chunk = `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: 'w'.repeat(50_000) }, finish_reason: null }] })}\n\n`
  const node = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (let count = 0; count < 300; count += 1) response.write(chunk)
    response.end('data: [DONE]\n\n')
  })
  await listen(node, 0, '127.0.0.1')
  const nodes = [{ id: 'one', url: addressOf(node), models: ['small'] }]
  const gateway = await startGateway({ demo: true, nodes, nodeLimits: { gapMs } })
  onTestFinished(async () => {
    await gateway.close()
    await closed(node)
  })
  const body = JSON.stringify({
    model: 'small',
    messages: [{ role: 'user', content: 'Hi' }],
    stream: true,
    max_tokens: 9,
  })
  const head = [
    'POST /api/v1/chat/completions HTTP/1.1',
    'host: gateway',
    `authorization: Bearer ${gateway.demo?.apiKey}`,
    `content-length: ${body.length}`,
    'connection: close',
  ]
  const socket = connect(Number(new URL(gateway.baseUrl).port), '127.0.0.1')
  socket.pause().write(`${head.join('\r\n')}\r\n\r\n${body}`)
  await sleep(3 * gapMs)
  let reply = ''
  for await (const bytes of socket.setEncoding('latin1')) reply += bytes
  expect(reply.match(/wwww"/g)).toHaveLength(300)
  expect(reply.slice(-40)).toContain('[DONE]')
})
