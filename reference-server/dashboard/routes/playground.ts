import { Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'
import type { FastifyInstance, FastifyReply } from 'fastify'
import type { Message } from '../../network/node.ts'
import type { Account } from '../../store/store.ts'
import { type Fields, textOf } from '../fields.ts'
import { type PlaygroundView, playgroundPage } from '../pages/playground.ts'
import type { Dashboard } from '../parts.ts'
import { type Asked, ownedBy, playgroundKey } from './owner.ts'

const TOKENS_MAX = 300
/** A conversation, which comes back with each turn. */
const BODY_BYTES_MAX = 1024 * 1024

/**
 * A chat whose requests go to the gateway as any client's would: they are refused, logged and charged like any other, and
 * the page needs no other origin. A pass stands in for the key that nobody has to paste.
 */
export function playgroundRoutes(app: FastifyInstance, dashboard: Dashboard): void {
  const { models, registry, passes, apiUrl, show } = dashboard
  const owned = ownedBy(dashboard)

  const page = ({ reply, frame }: Asked, view: Pick<PlaygroundView, 'typed' | 'turns' | 'error'>): FastifyReply => {
    const served = models.filter(({ id }) => registry.serves(id)).map(({ id }) => id)
    return show(reply, frame, (own) => playgroundPage(own, { apiUrl: apiUrl(), models: served, ...view }))
  }

  function ask(account: Account, body: object, reply: FastifyReply): Promise<Response | undefined> {
    const leaving = new AbortController()
    reply.raw.on('close', () => leaving.abort())
    return fetch(`${apiUrl()}/chat/completions`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${passes.issue(playgroundKey(account))}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify(body),
      signal: leaving.signal,
    }).catch(() => undefined)
  }

  app.get(
    '/playground',
    owned(async (asked) => page(asked, { typed: {}, turns: [] })),
  )

  app.post(
    '/playground',
    { bodyLimit: BODY_BYTES_MAX },
    owned(async (asked) => {
      const { request, reply, account } = asked
      const fields = request.body as Fields
      const turns = turnsIn(textOf(fields, 'turns'))
      const isScript = request.headers.accept === 'text/event-stream'
      const answer = await ask(account, { ...chatBody(fields, turns), stream: isScript }, reply)
      if (isScript) return passOn(reply, answer)
      const said: unknown = await answer?.json().catch(() => undefined)
      const content = textAt(said, 'choices', 0, 'message', 'content')
      if (answer?.ok !== true || content === undefined) {
        const error = textAt(said, 'error', 'message') ?? 'The gateway did not answer.'
        return page({ ...asked, reply: reply.status(answer?.status ?? 502) }, { typed: fields, turns, error })
      }
      const message = textOf(fields, 'message')
      return page(asked, {
        typed: fields,
        turns: [...turns, { role: 'user', content: message }, { role: 'assistant', content }],
      })
    }),
  )
}

function passOn(reply: FastifyReply, answer: Response | undefined): FastifyReply {
  if (answer?.body == null) return reply.status(502).send('The gateway did not answer.')
  return reply
    .status(answer.status)
    .type(answer.headers.get('content-type') ?? 'application/json')
    .send(Readable.fromWeb(answer.body as ReadableStream))
}

/** What was typed goes on as it is: the gateway says what is wrong with it. */
function chatBody(fields: Fields, turns: readonly Message[]): object {
  const system = textOf(fields, 'system')
  const numbers = ['temperature', 'top_p', 'max_tokens'].flatMap((name) => {
    const text = textOf(fields, name)
    return text === '' ? [] : [[name, Number.isNaN(Number(text)) ? text : Number(text)] as const]
  })
  return {
    model: textOf(fields, 'model'),
    max_tokens: TOKENS_MAX,
    ...Object.fromEntries(numbers),
    messages: [
      ...(system === '' ? [] : [{ role: 'system', content: system }]),
      ...turns,
      { role: 'user', content: textOf(fields, 'message') },
    ],
  }
}

/** The turns that the page had; none where somebody has changed them beyond recognition. */
function turnsIn(text: string): readonly Message[] {
  try {
    const turns: unknown = JSON.parse(text)
    return Array.isArray(turns) ? turns.filter(isTurn) : []
  } catch {
    return []
  }
}

function isTurn(value: unknown): value is Message {
  const { role, content } = Object(value)
  return (role === 'user' || role === 'assistant') && typeof content === 'string'
}

function textAt(value: unknown, ...path: readonly (string | number)[]): string | undefined {
  const found = path.reduce<unknown>((inner, step) => Object(inner)[step], value)
  return typeof found === 'string' ? found : undefined
}
