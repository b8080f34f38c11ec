import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { afterEach, expect, test } from 'vitest'
import { addressOf, closed } from '../listening.ts'
import { type GatewayOptions, type RunningGateway, startGateway } from '../main.ts'
import type { Wrap } from './seams.ts'

const closing: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

/** A gateway whose only node answers like this. */
async function gatewayBefore(node: RequestListener, options: GatewayOptions = {}): Promise<RunningGateway> {
  const server = createServer(node).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const gateway = await startGateway({
    demo: true,
    nodes: [{ id: 'node', url: addressOf(server), models: ['small'] }],
    heartbeatMs: 5,
    ...options,
  })
  closing.push(async () => {
    await gateway.close()
    await closed(server)
  })
  return gateway
}

function stream({ baseUrl, demo }: RunningGateway): Promise<Response> {
  return fetch(`${baseUrl}/api/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${demo?.apiKey}` },
    body: JSON.stringify({ model: 'small', messages: [{ role: 'user', content: 'Count.' }], stream: true }),
  })
}

const word = `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: 'One' }, finish_reason: null }] })}\n\n`
const last = `data: ${JSON.stringify({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] })}\n\ndata: [DONE]\n\n`
const heartbeat = ': keep-alive\n\n'

/** A node that takes a request and says nothing more until it is told how to go on. */
function slowNode() {
  const answering = Promise.withResolvers<Parameters<RequestListener>[1]>()
  const node: RequestListener = (request, response) => {
    request.resume()
    if (request.method === 'GET') {
      response.end('{"data":[]}')
      return
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders()
    answering.resolve(response)
  }
  return { node, answering: answering.promise }
}

/** The text of a body that has begun with this many heartbeats; `then` is called after them. */
async function textAfter(response: Response, heartbeats: number, then: () => void): Promise<string> {
  let text = ''
  let isTold = false
  for await (const part of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += part
    if (isTold || text.length < heartbeats * heartbeat.length) continue
    isTold = true
    then()
  }
  return text
}

test('a stream whose first token is late gets heartbeats before it, and none once it has begun', async () => {
  const { node, answering } = slowNode()
  const response = await stream(await gatewayBefore(node, { nodeLimits: { firstTokenMs: 1000 } }))
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8'])
  const answer = await answering
  // So many take longer than a node has that has not taken the request.
  const text = await textAfter(response, 250, () => {
    answer.write(word)
    // Time for further heartbeats, if there were any.
    setTimeout(() => answer.end(last), 40)
  })
  const [comments = '', events = ''] = text.split(/(?=data: )(.*)/s)
  expect(comments).toBe(heartbeat.repeat(comments.length / heartbeat.length))
  expect(events).toMatch(/^data: \{[^\n]*"One"/m)
  expect(events).toMatch(/data: \[DONE\]\n\n$/)
  expect(events).not.toContain(heartbeat)
})

test('a node that fails after a heartbeat leaves an error event and no charge', async () => {
  const { node, answering } = slowNode()
  const books: string[] = []
  const booked = Promise.withResolvers<void>()
  const wrap: Wrap = {
    charge:
      (real) =>
      (...parts) => {
        books.push('charge')
        return real(...parts)
      },
    release:
      (real) =>
      (...parts) => {
        books.push('release')
        booked.resolve()
        return real(...parts)
      },
  }
  const response = await stream(await gatewayBefore(node, { wraps: [wrap] }))
  const answer = await answering
  const text = await textAfter(response, 1, () => answer.destroy())
  expect(text).toMatch(/^(?:: keep-alive\n\n)+data: \{"error":\{[^\n]*\}\}\n\n$/)
  await booked.promise
  expect(books).toEqual(['release'])
})

test('a node that does not take the request is a 503, however long that takes', async () => {
  const silent: RequestListener = (request, response) => {
    if (request.method === 'GET') response.end('{"data":[]}')
  }
  const response = await stream(await gatewayBefore(silent, { nodeLimits: { firstTokenMs: 60, headMs: 60 } }))
  expect(response.status).toBe(503)
})

test('no heartbeat is sent where they are switched off', async () => {
  const { node, answering } = slowNode()
  const asked = stream(await gatewayBefore(node, { heartbeatMs: 0 }))
  const answer = await answering
  setTimeout(() => answer.end(word + last), 40)
  const text = await (await asked).text()
  expect(text).not.toContain(heartbeat)
  expect(text).toMatch(/^data: /)
})
