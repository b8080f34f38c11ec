import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { creditOf } from '../gateway/honest-seams.ts'
import { AMOUNT_MAX, parseUsd } from '../ledger/money.ts'
import type { Account, DayUsage, KeyRecord, KeyUsage } from '../store/store.ts'
import type { Dashboard } from './dashboard.ts'
import { FieldError, type Fields, fieldErrorOf, readName, readPerMinute, textOf } from './fields.ts'
import { deleteKeyPage, type KeyRow, type KeysView, keysAPage, keysPage } from './pages/keys.ts'
import type { Frame } from './pages/layout.ts'
import { entriesAPage, ledgerPage } from './pages/ledger.ts'
import { modelsPage } from './pages/models.ts'
import { type Overview, overviewPage } from './pages/overview.ts'
import { tryPage } from './pages/try.ts'
import { type KeyNames, usageCsv, usagePage } from './pages/usage.ts'

interface Owner {
  readonly frame: Frame
  readonly account: Account
}

const noUsage = { requests: 0, promptTokens: 0, completionTokens: 0, usd: 0n } as KeyUsage

/** What an account's owner sees and does. Every route finds its account by the session, never by what is asked. */
export function ownerRoutes(app: FastifyInstance, dashboard: Dashboard): void {
  const { store, seams, rate, models, registry, clock, root, show, frameOf, apiUrl } = dashboard

  /** Sends everybody else to sign in. */
  async function ownerOf(request: FastifyRequest, reply: FastifyReply): Promise<Owner | undefined> {
    const frame = await frameOf(request, reply)
    const account = frame.visitor?.role === 'owner' ? await store.account(frame.visitor.accountId) : undefined
    if (account !== undefined) return { frame, account }
    await reply.redirect(`${root}/sign-in`, 303)
    return undefined
  }

  type Asked = { readonly request: FastifyRequest; readonly reply: FastifyReply } & Owner
  const owned =
    (run: (asked: Asked) => Promise<unknown>) =>
    async (request: FastifyRequest, reply: FastifyReply): Promise<unknown> => {
      const owner = await ownerOf(request, reply)
      return owner === undefined ? reply : run({ request, reply, ...owner })
    }

  async function overview(asked: Asked, more: Pick<Overview, 'done' | 'error'>): Promise<unknown> {
    const { reply, frame, account } = asked
    const keys = (await store.keysOf(account.id)).length
    return show(reply, frame, (own) => overviewPage(own, { account, rate, keys, ...more }))
  }

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
      if (usd === undefined || usd === 0n)
        return overview(
          { ...asked, reply: reply.status(400) },
          wrong('amount', 'An amount looks like 10 or 10.50, a million at most.'),
        )
      const credit = creditOf(usd, rate)
      if (account.balance + credit.amount > AMOUNT_MAX)
        return overview({ ...asked, reply: reply.status(400) }, wrong('amount', 'The account can not hold that much.'))
      await store.credit(account.id, credit)
      return reply.redirect(`${root}/?done=funded`, 303)
    }),
  )

  async function keys(
    { reply, frame, account }: Asked,
    { from = 0, ...more }: Partial<Omit<KeysView, 'rows' | 'total'>>,
  ): Promise<unknown> {
    const [own, usage] = await Promise.all([store.keysOf(account.id), store.usageByDay(account.id)])
    const newestFirst = own.toReversed()
    const rows = newestFirst.slice(from, from + keysAPage).map((key) => rowOf(key, usage))
    return show(reply, frame, (inside) => keysPage(inside, { rows, from, total: own.length, ...more }))
  }

  app.get(
    '/keys',
    owned((asked) => {
      const { from, done } = asked.request.query as Fields
      const isPage = typeof from === 'string' && /^\d{1,9}$/.test(from)
      return keys(asked, { deleted: done === 'deleted', ...(isPage && { from: Number(from) }) })
    }),
  )

  app.post(
    '/keys',
    owned(async (asked) => {
      const fields = asked.request.body as Fields
      try {
        const requestsPerMinute = readPerMinute(fields, 'requestsPerMinute')
        const tokensPerMinute = readPerMinute(fields, 'tokensPerMinute')
        const name = readName(fields)
        const made = await seams.createKey(asked.account.id, {
          name,
          ...(requestsPerMinute !== undefined && { requestsPerMinute }),
          ...(tokensPerMinute !== undefined && { tokensPerMinute }),
        })
        return keys(asked, made === undefined ? {} : { made: { name, key: made.key } })
      } catch (error) {
        return keys({ ...asked, reply: asked.reply.status(400) }, { error: fieldErrorOf(error) })
      }
    }),
  )

  /** A key of this account; of another's it is as if there were none. */
  async function keyIn({ request, account }: Asked): Promise<KeyRecord | undefined> {
    const { id } = request.params as { readonly id: string }
    return (await store.keysOf(account.id)).find((key) => key.id === id)
  }

  app.get(
    '/keys/:id/delete',
    owned(async (asked) => {
      const key = await keyIn(asked)
      if (key === undefined) return asked.reply.callNotFound()
      return show(asked.reply, asked.frame, (frame) => deleteKeyPage(frame, key))
    }),
  )

  app.post(
    '/keys/:id/delete',
    owned(async (asked) => {
      const key = await keyIn(asked)
      if (key === undefined) return asked.reply.callNotFound()
      await seams.deleteKey(key.id)
      return asked.reply.redirect(`${root}/keys?done=deleted`, 303)
    }),
  )

  async function namesOf(accountId: string): Promise<KeyNames> {
    return new Map((await store.keysOf(accountId)).map(({ id, name }) => [id, name]))
  }

  app.get(
    '/usage',
    owned(async ({ reply, frame, account }) => {
      const [usage, names] = await Promise.all([store.usageByDay(account.id), namesOf(account.id)])
      return show(reply, frame, (own) => usagePage(own, usage, names, clock.unixMs()))
    }),
  )

  app.get(
    '/usage.csv',
    owned(async ({ reply, account }) => {
      const [usage, names] = await Promise.all([store.usageByDay(account.id), namesOf(account.id)])
      return reply
        .type('text/csv; charset=utf-8')
        .header('content-disposition', 'attachment; filename="usage.csv"')
        .send(usageCsv(usage, names))
    }),
  )

  app.get(
    '/ledger',
    owned(async ({ request, reply, frame, account }) => {
      const { before } = request.query as Fields
      const isFirst = typeof before !== 'string' || !/^\d{1,15}$/.test(before)
      const entries = await store.entriesBefore(
        account.id,
        isFirst ? Number.MAX_SAFE_INTEGER : Number(before),
        entriesAPage,
      )
      return show(reply, frame, (own) => ledgerPage(own, entries, isFirst))
    }),
  )

  app.get(
    '/models',
    owned(async ({ reply, frame }) => {
      const rows = models.map((model) => ({ ...model, isServed: registry.serves(model.id) }))
      return show(reply, frame, () => modelsPage(rows))
    }),
  )

  app.get(
    '/try',
    owned(async ({ reply, frame }) => {
      const served = models.filter(({ id }) => registry.serves(id)).map(({ id }) => id)
      return show(reply, frame, (own) => tryPage(own, { apiUrl: apiUrl(), models: served }))
    }),
  )
}

function rowOf(key: KeyRecord, usage: readonly DayUsage[]): KeyRow {
  const own = usage.filter(({ keyId }) => keyId === key.id)
  const [newest] = own
  const sum = own.reduce<KeyUsage>(
    (total, { requests, promptTokens, completionTokens, usd }) => ({
      requests: total.requests + requests,
      promptTokens: total.promptTokens + promptTokens,
      completionTokens: total.completionTokens + completionTokens,
      usd: (total.usd + usd) as KeyUsage['usd'],
    }),
    noUsage,
  )
  return { key, usage: sum, ...(newest !== undefined && { lastUsed: newest.day }) }
}

function wrong(field: string, message: string): Pick<Overview, 'error'> {
  return { error: new FieldError(field, message) }
}
