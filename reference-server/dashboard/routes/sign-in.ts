import type { FastifyInstance } from 'fastify'
import { FieldError, type Fields, fieldErrorOf, passwordIn, readEmail, textOf } from '../fields.ts'
import { signInPage } from '../pages/access.ts'
import type { Dashboard } from '../parts.ts'
import { isPassword } from '../passwords.ts'
import { requireAttempt } from './attempt.ts'

/** Signing in as an account's owner, and out as anybody. */
export function signInRoutes(app: FastifyInstance, dashboard: Dashboard): void {
  const { store, sessions, limit, root, show, frameOf } = dashboard

  app.get('/sign-in', async (request, reply) =>
    show(reply, await frameOf(request, reply), (frame) => signInPage(frame, {})),
  )

  app.post('/sign-in', async (request, reply) => {
    const fields = request.body as Fields
    try {
      const email = readEmail(fields)
      requireAttempt(limit, request, email)
      const person = await store.person(email)
      const isRight = await isPassword(passwordIn(fields), person?.passwordHash)
      // One message for both, which does not reveal who has an account.
      if (!isRight || person === undefined) throw new FieldError('password', 'The address or the password is wrong.')
      limit.succeeded(request.ip, email)
      await sessions.begin(request, reply, { role: 'owner', email, accountId: person.accountId })
      return reply.redirect(`${root}/`, 303)
    } catch (error) {
      const attempt = { email: textOf(fields, 'email'), error: fieldErrorOf(error) }
      return show(reply.status(400), await frameOf(request, reply), (frame) => signInPage(frame, attempt))
    }
  })

  app.post('/sign-out', async (request, reply) => {
    await sessions.end(request, reply)
    return reply.redirect(`${root}/sign-in`, 303)
  })
}
