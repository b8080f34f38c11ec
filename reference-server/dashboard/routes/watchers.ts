import type { FastifyInstance, FastifyReply } from 'fastify'
import type { PastCounters } from '../../operations/past-counters.ts'

const TICK_MS = 1000

/** Browsers that watch the network: each is told its state and its past at once, and then its state every second. */
export interface Watchers {
  add(reply: FastifyReply): void
}

export function watchers(app: FastifyInstance, state: () => object, past: PastCounters): Watchers {
  const replies = new Set<FastifyReply>()
  const tell = ({ raw }: FastifyReply, what: object): void => {
    // A browser that does not read gets only the newest state once it reads again.
    if (!raw.writableNeedDrain) raw.write(`data: ${JSON.stringify(what)}\n\n`)
  }
  const ticking = setInterval(() => {
    past.note()
    for (const reply of replies) tell(reply, state())
  }, TICK_MS)
  ticking.unref()
  app.addHook('preClose', async () => {
    clearInterval(ticking)
    for (const { raw } of replies) raw.end()
  })
  return {
    add(reply) {
      reply.hijack()
      reply.raw.writeHead(200, {
        ...(reply.getHeaders() as Record<string, string>),
        'content-type': 'text/event-stream',
        'cache-control': 'no-store',
      })
      replies.add(reply)
      reply.raw.on('close', () => replies.delete(reply))
      tell(reply, { ...state(), past: past.counts() })
    },
  }
}
