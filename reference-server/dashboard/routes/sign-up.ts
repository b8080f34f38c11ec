import type { FastifyInstance } from 'fastify'
import { decimal } from '../../ledger/money.ts'
import { FieldError, type Fields, fieldErrorOf, readEmail, readPassword, textOf } from '../fields.ts'
import { signUpPage } from '../pages/access.ts'
import type { Dashboard } from '../parts.ts'
import { hashPassword } from '../passwords.ts'
import { requireAttempt } from './attempt.ts'

export function signUpRoutes(app: FastifyInstance, dashboard: Dashboard): void {
  const { store, seams, sessions, limit, freeCredit, clock, root, show, frameOf } = dashboard
  const credit = decimal(freeCredit)

  app.get('/sign-up', async (request, reply) =>
    show(reply, await frameOf(request, reply), (frame) => signUpPage(frame, credit, {})),
  )

  app.post('/sign-up', async (request, reply) => {
    const fields = request.body as Fields
    try {
      requireAttempt(limit, request)
      const email = readEmail(fields)
      const passwordHash = await hashPassword(readPassword(fields))
      const accountId = await openFor(email, passwordHash)
      await sessions.begin(request, reply, { role: 'owner', email, accountId })
      return reply.redirect(`${root}/?done=opened`, 303)
    } catch (error) {
      const attempt = { email: textOf(fields, 'email'), error: fieldErrorOf(error) }
      return show(reply.status(400), await frameOf(request, reply), (frame) => signUpPage(frame, credit, attempt))
    }
  })

  /** Opens an account with the free credit, unless the address is taken. */
  async function openFor(email: string, passwordHash: string): Promise<string> {
    const taken = new FieldError('email', 'This address already has an account. Sign in instead.')
    if ((await store.person(email)) !== undefined) throw taken
    const { id } = await seams.openAccount(email, undefined)
    if (await store.addPerson({ email, accountId: id, passwordHash, createdAt: clock.unixMs() })) return id
    await store.closeAccount(id)
    throw taken
  }
}
