import type { Socket } from 'node:net'
import type { Wrap } from '../../reference-server/gateway/seams.ts'
import { headerOf } from './request.ts'

/**
 * Treats connections of clients that ask for `keep-alive` in as many words: each answer says `keepAlive` of its connection, and
 * `end` is called when there was no other request for so long.
 */
export function endingIdle(afterMs: number, end: (socket: Socket) => void, keepAlive?: string): Wrap {
  const timers = new WeakMap<Socket, NodeJS.Timeout>()
  return {
    serve: (real) => async (call) => {
      const { request, response } = call
      if (headerOf(call, 'connection').toLowerCase() !== 'keep-alive') return real(call)
      const { socket } = request
      clearTimeout(timers.get(socket))
      // A header of our own keeps Node from adding its announcement.
      response.setHeader('connection', 'keep-alive')
      if (keepAlive !== undefined) response.setHeader('keep-alive', keepAlive)
      response.once('finish', () => {
        timers.set(
          socket,
          setTimeout(() => end(socket), afterMs),
        )
      })
      await real(call)
    },
  }
}
