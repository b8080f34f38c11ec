import { Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'
import type { FastifyInstance } from 'fastify'
import type { Dashboard } from './dashboard.ts'
import { type Fields, textOf } from './fields.ts'

const TOKENS_MAX = 300

/**
 * Passes one streamed completion on to its page. It goes to the gateway as any client's request would, with the key that was
 * typed, so that it is limited and charged like any other; the page needs no other origin for it.
 */
export function tryRoute(app: FastifyInstance, { apiUrl, frameOf, root }: Dashboard): void {
  app.post('/try', async (request, reply) => {
    const { visitor } = await frameOf(request, reply)
    if (visitor?.role !== 'owner') return reply.redirect(`${root}/sign-in`, 303)
    const fields = request.body as Fields
    const leaving = new AbortController()
    reply.raw.on('close', () => leaving.abort())
    const answer = await fetch(`${apiUrl()}/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${textOf(fields, 'key')}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        model: textOf(fields, 'model'),
        stream: true,
        max_tokens: TOKENS_MAX,
        messages: [{ role: 'user', content: textOf(fields, 'message') }],
      }),
      signal: leaving.signal,
    }).catch(() => undefined)
    if (answer?.body == null) return reply.status(502).send('The gateway did not answer.')
    return reply
      .status(answer.status)
      .type(answer.headers.get('content-type') ?? 'application/json')
      .send(Readable.fromWeb(answer.body as ReadableStream))
  })
}
