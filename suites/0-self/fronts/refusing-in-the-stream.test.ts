import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { request } from 'undici'
import { expect, onTestFinished, test } from 'vitest'
import { judge, startReferenceGateway } from '../../../src/index.ts'

/** Begins each stream before it asks: what is refused then is told in the stream, in this way. */
async function serve(
  asked: IncomingMessage,
  answered: ServerResponse,
  origin: string,
  told: (refusal: string) => string,
): Promise<void> {
  const body = await text(asked)
  const { authorization } = asked.headers
  const answer = await request(`${origin}${asked.url}`, {
    method: asked.method as 'GET',
    headers: { 'content-type': 'application/json', ...(authorization !== undefined && { authorization }) },
    body: asked.method === 'GET' ? null : body,
  })
  if (answer.statusCode < 400 || !/"stream": ?true/.test(body)) {
    answered.writeHead(answer.statusCode, { 'content-type': String(answer.headers['content-type']) })
    await pipeline(answer.body, answered)
    return
  }
  const refusal = JSON.stringify(JSON.parse(await answer.body.text()))
  answered.writeHead(200, { 'content-type': 'text/event-stream' })
  answered.end(told(refusal))
}

test.each([
  ['as an event', (refusal: string) => `data: ${refusal}\n\ndata: [DONE]\n\n`],
  ['as the node wrote it', (refusal: string) => refusal],
])(
  'a stream that says nothing but %s that the request was refused is not taken for a model that served it',
  async (_, told) => {
    const gateway = await startReferenceGateway({ demo: true, simulated: true })
    const { origin } = new URL(gateway.baseUrl)
    const server = createServer((asked, answered) => {
      // A client may leave at any time.
      serve(asked, answered, origin, told).catch(() => answered.destroy())
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    onTestFinished(async () => {
      server.close()
      await gateway.close()
    })
    const only = [
      'request.messages-required',
      'request.messages-wrong-type-refused',
      'temperature.wrong-type-refused',
      'auth.missing-key-refused',
      'unknown-model.refused',
    ]
    const key = gateway.demo?.apiKey ?? ''
    const { port } = server.address() as AddressInfo
    const { results } = await judge({ 'base-url': `http://127.0.0.1:${port}`, 'api-key': key, model: 'small', only })
    const verdicts = results.filter(({ id }) => only.includes(id)).map(({ id, verdict }) => [id, verdict.kind])
    expect(verdicts.sort()).toEqual(only.map((id) => [id, 'pass']).sort())
  },
)
