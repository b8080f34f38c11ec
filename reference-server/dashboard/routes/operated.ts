import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Frame } from '../pages/layout.ts'
import type { Dashboard } from '../parts.ts'

type Run = (request: FastifyRequest, reply: FastifyReply, frame: Frame) => unknown

/** Makes handlers that serve only the operator and send everybody else to sign in. */
export function operatedBy({ root, frameOf }: Dashboard): (run: Run) => (...asked: Asked) => Promise<unknown> {
  return (run) => async (request, reply) => {
    const frame = await frameOf(request, reply)
    return frame.visitor?.role === 'operator'
      ? run(request, reply, frame)
      : reply.redirect(`${root}/operator/sign-in`, 303)
  }
}

type Asked = readonly [request: FastifyRequest, reply: FastifyReply]
