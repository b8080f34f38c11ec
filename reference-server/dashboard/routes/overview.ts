import type { FastifyInstance } from 'fastify'
import { creditOf } from '../../gateway/honest-seams.ts'
import { AMOUNT_MAX, parseUsd } from '../../ledger/money.ts'
import { FieldError, type Fields, textOf } from '../fields.ts'
import { type Overview, overviewPage } from '../pages/overview.ts'
import type { Dashboard } from '../parts.ts'
import { type Asked, namesOf, ownedBy } from './owner.ts'

/** How many of the newest requests the overview shows. */
const NEWEST = 5

/** The account at a glance, and adding credit to it. */
export function overviewRoutes(app: FastifyInstance, dashboard: Dashboard): void {
  const { store, log, clock, rate, root, show } = dashboard
  const owned = ownedBy(dashboard)

  async function overview(asked: Asked, more: Pick<Overview, 'done' | 'error' | 'typed'>): Promise<unknown> {
    const { reply, frame, account } = asked
    await log?.flush()
    const [keys, usage, newest, names] = await Promise.all([
      store.keysOf(account.id),
      store.usageByDay(account.id),
      log && store.requests(account.id, {}, undefined, NEWEST),
      namesOf(dashboard, account),
    ])
    const nowMs = clock.unixMs()
    const view = { account, rate, keys: keys.length, usage, names, nowMs, ...(newest && { newest }), ...more }
    return show(reply, frame, (own) => overviewPage(own, view))
  }
  const refuse = (asked: Asked, message: string): Promise<unknown> =>
    overview(
      { ...asked, reply: asked.reply.status(400) },
      { error: new FieldError('amount', message), typed: textOf(asked.request.body as Fields, 'amount') },
    )

  app.get(
    '/',
    owned((asked) => {
      const { done } = asked.request.query as Fields
      return overview(asked, done === 'opened' || done === 'funded' ? { done } : {})
    }),
  )

  app.post(
    '/fund',
    owned(async (asked) => {
      const { request, reply, account } = asked
      const usd = parseUsd(textOf(request.body as Fields, 'amount'))
      if (usd === undefined || usd === 0n) return refuse(asked, 'Enter an amount like 10 or 10.50, at most a million.')
      const credit = creditOf(usd, rate)
      if (account.balance + credit.amount > AMOUNT_MAX) return refuse(asked, 'The account cannot hold that much.')
      await store.credit(account.id, credit)
      return reply.redirect(`${root}/?done=funded`, 303)
    }),
  )
}
