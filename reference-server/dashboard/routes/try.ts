import { Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'
import type { FastifyInstance } from 'fastify'
import { type Fields, textOf } from '../fields.ts'
import { tryPage } from '../pages/try.ts'
import type { Dashboard } from '../parts.ts'
import { ownedBy } from './owner.ts'

const TOKENS_MAX = 300

/**
 * A page that streams one completion. Its request goes to the gateway as any client's would, with the key that was
 * typed: it is limited and charged like any other, and the page needs no other origin.
 */
export function tryRoutes(app: FastifyInstance, dashboard: Dashboard): void {
  const { models, registry, apiUrl, show } = dashboard
  const owned = ownedBy(dashboard)

  app.get(
    '/try',
    owned(async ({ reply, frame }) => {
      const served = models.filter(({ id }) => registry.serves(id)).map(({ id }) => id)
      return show(reply, frame, (own) => tryPage(own, { apiUrl: apiUrl(), models: served }))
    }),
  )

  app.post(
    '/try',
    owned(async ({ request, reply }) => {
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
    }),
  )
}
