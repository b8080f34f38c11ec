import { timingSafeEqual } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { hashKey } from '../../keys/key.ts'
import { FieldError, type Fields, fieldErrorOf, passwordIn } from '../fields.ts'
import { operatorSignInPage } from '../pages/access.ts'
import type { Dashboard } from '../parts.ts'
import { requireAttempt } from './attempt.ts'

export function operatorSignInRoutes(app: FastifyInstance, dashboard: Dashboard): void {
  const { sessions, limit, operatorPassword, root, show, frameOf } = dashboard

  app.get('/operator/sign-in', async (request, reply) =>
    show(reply, await frameOf(request, reply), (frame) => operatorSignInPage(frame, undefined)),
  )

  app.post('/operator/sign-in', async (request, reply) => {
    try {
      requireAttempt(limit, request, 'the operator')
      // Hashes all have one length, so the comparison reveals nothing about the password.
      const [given, wanted] = [passwordIn(request.body as Fields), operatorPassword].map((one) =>
        Buffer.from(hashKey(one)),
      )
      if (given === undefined || wanted === undefined || !timingSafeEqual(given, wanted))
        throw new FieldError('password', 'The password is wrong.')
      limit.succeeded(request.ip, 'the operator')
      await sessions.begin(request, reply, { role: 'operator' })
      return reply.redirect(`${root}/operator`, 303)
    } catch (error) {
      const wrong = fieldErrorOf(error)
      return show(reply.status(400), await frameOf(request, reply), (frame) => operatorSignInPage(frame, wrong))
    }
  })
}
