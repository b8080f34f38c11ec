import { timingSafeEqual } from 'node:crypto'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { hashKey } from '../keys/key.ts'
import { decimal } from '../ledger/money.ts'
import type { Dashboard } from './dashboard.ts'
import { FieldError, type Fields, fieldErrorOf, readEmail, readPassword, textOf } from './fields.ts'
import { operatorSignInPage, signInPage, signUpPage } from './pages/access.ts'
import { hashPassword, isPassword } from './passwords.ts'

/** Signing up, in and out. */
export function accessRoutes(app: FastifyInstance, dashboard: Dashboard): void {
  const { store, seams, sessions, limit, freeCredit, operatorPassword, clock, root, show, frameOf } = dashboard
  const credit = decimal(freeCredit)

  app.get('/sign-up', async (request, reply) =>
    show(reply, await frameOf(request, reply), (frame) => signUpPage(frame, credit, {})),
  )

  app.post('/sign-up', async (request, reply) => {
    const fields = request.body as Fields
    try {
      allow(request)
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

  app.get('/sign-in', async (request, reply) =>
    show(reply, await frameOf(request, reply), (frame) => signInPage(frame, {})),
  )

  app.post('/sign-in', async (request, reply) => {
    const fields = request.body as Fields
    try {
      const email = readEmail(fields)
      allow(request, email)
      const person = await store.person(email)
      const isRight = await isPassword(passwordIn(fields), person?.passwordHash)
      // One message for both: it does not tell who has an account.
      if (!isRight || person === undefined) throw new FieldError('password', 'The address or the password is wrong.')
      limit.succeeded(request.ip, email)
      await sessions.begin(request, reply, { role: 'owner', email, accountId: person.accountId })
      return reply.redirect(`${root}/`, 303)
    } catch (error) {
      const attempt = { email: textOf(fields, 'email'), error: fieldErrorOf(error) }
      return show(reply.status(400), await frameOf(request, reply), (frame) => signInPage(frame, attempt))
    }
  })

  app.get('/operator/sign-in', async (request, reply) =>
    show(reply, await frameOf(request, reply), (frame) => operatorSignInPage(frame, undefined)),
  )

  app.post('/operator/sign-in', async (request, reply) => {
    try {
      allow(request, 'the operator')
      // Hashes have one length: the comparison tells nothing of the password.
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

  app.post('/sign-out', async (request, reply) => {
    await sessions.end(request, reply)
    return reply.redirect(`${root}/sign-in`, 303)
  })

  function allow(request: FastifyRequest, who?: string): void {
    const waitS = limit.attempt(request.ip, who)
    if (waitS > 0) throw new FieldError('password', `Too many attempts: try again in ${waitS} seconds.`)
  }

  /** An account of its own, with the free credit; an address that is taken gets none. */
  async function openFor(email: string, passwordHash: string): Promise<string> {
    const taken = new FieldError('email', 'There is an account for this address: sign in.')
    if ((await store.person(email)) !== undefined) throw taken
    const { id } = await seams.openAccount(email, undefined)
    if (await store.addPerson({ email, accountId: id, passwordHash, createdAt: clock.unixMs() })) return id
    await store.closeAccount(id)
    throw taken
  }
}

function passwordIn(fields: Fields): string {
  const value = fields['password']
  return typeof value === 'string' ? value : ''
}
