import { once } from 'node:events'
import { createServer, type RequestListener, type ServerResponse } from 'node:http'
import { expect, onTestFinished, test } from 'vitest'
import { addressOf, closed, listen } from '../../listening.ts'
import type { Fragments, NodeTalk } from '../node.ts'
import { defaultNodeLimits } from '../node-failure.ts'
import { httpNode } from './http-node.ts'
import { readReply } from './read-reply.ts'

const honest: NodeTalk = { write: (request) => request, read: readReply }
const job = {
  model: 'small',
  messages: [{ role: 'user', content: 'Hi' }],
  tokensMax: 9,
  stop: [],
  temperature: 1,
  topP: 1,
} as const

function chunk(content: string): string {
  return `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content }, finish_reason: null }] })}\n\n`
}

function begin(response: ServerResponse): ServerResponse {
  response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders()
  return response
}

async function nodeThat(serve: RequestListener) {
  const server = createServer(serve)
  await listen(server, 0, '127.0.0.1')
  const node = httpNode({ id: 'one', url: addressOf(server), models: ['small'] }, defaultNodeLimits, () => undefined)
  onTestFinished(async () => {
    await node.close?.()
    await closed(server)
  })
  return { server, node }
}

async function textsOf(reply: Fragments): Promise<readonly string[]> {
  const texts: string[] = []
  for await (const { text } of reply) texts.push(text)
  return texts
}

test('a connection is used again where the end of the body follows the end marker in a write of its own', async () => {
  const sockets: unknown[] = []
  const { node } = await nodeThat((request, response) => {
    request.resume()
    sockets.push(request.socket)
    begin(response).write(`${chunk('One ')}data: [DONE]\n\n`)
    setTimeout(() => response.end(), 20)
  })
  await expect
    .poll(async () => {
      await textsOf(node.generate(job, new AbortController().signal, honest))
      return sockets.slice(0, -1).includes(sockets.at(-1))
    })
    .toBe(true)
})

test('a node that keeps its stream open after the end marker is left', async () => {
  const { server, node } = await nodeThat((_, response) => begin(response).write(`${chunk('One ')}data: [DONE]\n\n`))
  const [request] = await Promise.all([
    once(server, 'request') as Promise<[{ readonly socket: NodeJS.EventEmitter }]>,
    textsOf(node.generate(job, new AbortController().signal, honest)),
  ])
  await once(request[0].socket, 'close')
})

test('a reader that leaves closes the connection', async () => {
  const { server, node } = await nodeThat((_, response) => begin(response).write(chunk('One ')))
  const reply = node.generate(job, new AbortController().signal, honest)
  const [[request]] = await Promise.all([
    once(server, 'request') as Promise<[{ readonly socket: NodeJS.EventEmitter }]>,
    reply.next(),
  ])
  const gone = once(request.socket, 'close')
  expect([await reply.return('stop'), node.load?.()]).toEqual([{ done: true, value: 'stop' }, 0])
  await gone
})

test('what came before a connection broke off is read, and then it is a failure', async () => {
  const { node } = await nodeThat((_, response) =>
    begin(response).write(chunk('One ') + chunk('two '), () => response.destroy()),
  )
  const reply = node.generate(job, new AbortController().signal, honest)
  expect([(await reply.next()).value, (await reply.next()).value]).toEqual([
    { text: 'One ', tokens: 2 },
    { text: 'two ', tokens: 2 },
  ])
  await expect(reply.next()).rejects.toThrow('the node is unreachable')
})

test('a request that waits for its reply ends when it is given up', async () => {
  const { server, node } = await nodeThat(() => undefined)
  const giveUp = new AbortController()
  const reply = node.generate(job, giveUp.signal, honest)
  const asked = reply.next()
  await once(server, 'request')
  giveUp.abort(new DOMException('the client has left', 'AbortError'))
  await expect(asked).rejects.toThrow('the client has left')
  expect(node.load?.()).toBe(0)
})

test('a sender is held back while nobody reads, and what it sent is whole', async () => {
  const piece = chunk('word '.repeat(4000))
  let written = 0
  const { node } = await nodeThat((_, response) => {
    begin(response)
    const writeMore = (): void => {
      while (written < 1000) {
        written += 1
        if (!response.write(piece)) return void response.once('drain', writeMore)
      }
      response.end('data: [DONE]\n\n')
    }
    writeMore()
  })
  const reply = node.generate(job, new AbortController().signal, honest)
  await reply.next()
  let before = -1
  while (before !== written) {
    before = written
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  expect(written).toBeLessThan(1000)
  expect(await textsOf(reply)).toHaveLength(999)
})
