import { GatewayError, invalidRequest } from '../gateway/gateway-error.ts'
import { creditOf } from '../gateway/honest-seams.ts'
import type { Model } from '../gateway/models.ts'
import type { Seams } from '../gateway/seams.ts'
import { AMOUNT_MAX, decimal, type PicoUsd, parseUsd, type Rate, toUsd } from '../ledger/money.ts'
import type { NodeState, Registry } from '../network/registry.ts'
import type { Account, Entry, KeyRecord, KeyTerms, Store } from '../store/store.ts'
import { firstViolation, validator } from '../validator.ts'

export interface ControlParts {
  readonly seams: Seams
  readonly store: Store
  readonly registry: Registry
  readonly models: readonly Model[]
  readonly rate: Rate
}

export type Params = Readonly<Record<string, string>>

interface Asked {
  readonly params: Params
  readonly query: URLSearchParams
  readonly body: unknown
}

/** An operation of the control API. It returns its JSON answer (status 200), or nothing (status 204). */
interface Route {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  readonly path: string
  run(parts: ControlParts, asked: Asked): Promise<unknown>
}

const ENTRIES_MAX = 1000
const ENTRIES_DEFAULT = 100

/** The paths and fields are fixed: any gateway may serve them. */
export const routes: readonly Route[] = [
  { method: 'GET', path: '/health', run: async () => ({ status: 'ok' }) },
  {
    method: 'POST',
    path: '/accounts',
    async run({ seams }, { body }) {
      const { name, creditUsd } = read(newAccount, body)
      const credit = creditUsd === undefined ? undefined : dollars('creditUsd', creditUsd)
      return { id: (await seams.openAccount(name, credit)).id }
    },
  },
  {
    method: 'GET',
    path: '/accounts/{id}',
    run: async ({ store, rate }, { params }) => accountView(await accountOf(store, params), rate),
  },
  {
    method: 'DELETE',
    path: '/accounts/{id}',
    async run({ store }, { params }) {
      if (!(await store.closeAccount(params['id'] ?? ''))) throw unknown('account')
    },
  },
  {
    method: 'POST',
    path: '/accounts/{id}/credit',
    async run({ store, rate }, { params, body }) {
      const { balance } = await accountOf(store, params)
      const credit = creditOf(dollars('amountUsd', read(newCredit, body).amountUsd), rate)
      if (balance + credit.amount > AMOUNT_MAX)
        throw invalidRequest('credit_too_large', 'The account cannot hold that much.', 'amountUsd')
      const entry = await store.credit(params['id'] ?? '', credit)
      if (entry === undefined) throw unknown('account')
      return entryView(entry)
    },
  },
  {
    method: 'POST',
    path: '/accounts/{id}/keys',
    async run({ seams }, { params, body }) {
      const made = await seams.createKey(params['id'] ?? '', read(newKeyTerms, body))
      if (made === undefined) throw unknown('account')
      return { id: made.record.id, key: made.key }
    },
  },
  {
    method: 'GET',
    path: '/accounts/{id}/keys',
    async run({ store }, { params }) {
      const { id } = await accountOf(store, params)
      return { keys: (await store.keysOf(id)).map(keyView) }
    },
  },
  {
    method: 'PUT',
    path: '/keys/{id}',
    async run({ seams }, { params, body }) {
      if (!(await seams.changeKey(params['id'] ?? '', read(newKeyTerms, body)))) throw unknown('key')
    },
  },
  {
    method: 'POST',
    path: '/keys/{id}/rotation',
    async run({ seams }, { params }) {
      const made = await seams.rotateKey(params['id'] ?? '')
      if (made === undefined) throw unknown('key')
      return { id: made.record.id, key: made.key }
    },
  },
  {
    method: 'DELETE',
    path: '/keys/{id}',
    async run({ seams }, { params }) {
      if (!(await seams.deleteKey(params['id'] ?? ''))) throw unknown('key')
    },
  },
  {
    method: 'GET',
    path: '/keys/{id}/usage',
    async run({ seams }, { params }) {
      const usage = await seams.keyUsage(params['id'] ?? '')
      if (usage === undefined) throw unknown('key')
      const { usd, ...counts } = usage
      return { ...counts, costUsd: decimal(usd) }
    },
  },
  {
    method: 'GET',
    path: '/accounts/{id}/entries',
    async run({ store, seams }, { params, query }) {
      const { id } = await accountOf(store, params)
      const after = whole(query, 'after', 0)
      const limit = Math.min(whole(query, 'limit', ENTRIES_DEFAULT), ENTRIES_MAX)
      if (limit === 0) throw invalidRequest('invalid_limit', 'limit must be at least 1.', 'limit')
      const entries = await seams.entries(id, after, limit + 1)
      const page = entries.slice(0, limit)
      const last = page.at(-1)
      return {
        entries: page.map(entryView),
        ...(entries.length > limit && last !== undefined && { next: String(last.number) }),
      }
    },
  },
  {
    method: 'GET',
    path: '/models',
    run: async ({ models, registry }) => ({ models: models.map(({ id }) => ({ id, nodes: registry.nodesOf(id) })) }),
  },
  {
    method: 'PUT',
    path: '/models/{id}/nodes',
    async run({ models, registry }, { params, body }) {
      const { state } = read(newState, body)
      if (!models.some(({ id }) => id === params['id'])) throw unknown('model')
      for (const { id } of registry.nodesOf(params['id'] ?? '')) registry.setState(id, state)
    },
  },
  { method: 'POST', path: '/restart', run: ({ seams }) => seams.restart() },
]

const name = { type: 'string', minLength: 1, maxLength: 200 }
const sum = { type: 'string', maxLength: 30 }
const perMinute = { type: 'integer', minimum: 1, maximum: 1_000_000_000 }

const newAccount = validator<{ readonly name: string; readonly creditUsd?: string }>({
  type: 'object',
  required: ['name'],
  properties: { name, creditUsd: sum },
})
const newCredit = validator<{ readonly amountUsd: string }>({
  type: 'object',
  required: ['amountUsd'],
  properties: { amountUsd: sum },
})
const newKeyTerms = validator<KeyTerms>({
  type: 'object',
  required: ['name'],
  properties: { name, requestsPerMinute: perMinute, tokensPerMinute: perMinute },
  additionalProperties: false,
})
const newState = validator<{ readonly state: NodeState }>({
  type: 'object',
  required: ['state'],
  properties: { state: { enum: ['up', 'down', 'blackhole'] } },
})

function read<T>(schema: ReturnType<typeof validator<T>>, body: unknown): T {
  const validate = schema()
  if (validate(body)) return body
  const { where, problem } = firstViolation(validate.errors)
  throw invalidRequest('invalid_value', `${where ?? 'The body'} ${problem}.`, where)
}

function dollars(field: string, text: string): PicoUsd {
  const usd = parseUsd(text)
  if (usd !== undefined) return usd
  const message = `${field} must be a decimal text such as "12.50", at most 1000000 with twelve decimals.`
  throw invalidRequest('invalid_sum', message, field)
}

function whole(query: URLSearchParams, field: string, absent: number): number {
  const text = query.get(field)
  if (text === null) return absent
  if (!/^\d{1,15}$/.test(text)) throw invalidRequest('invalid_value', `${field} must be a whole number.`, field)
  return Number(text)
}

async function accountOf(store: Store, params: Params): Promise<Account> {
  const account = await store.account(params['id'] ?? '')
  if (account === undefined) throw unknown('account')
  return account
}

function accountView({ id, name: accountName, balance, held }: Account, rate: Rate): unknown {
  const [balanceUsd, heldUsd] = [toUsd(balance, rate), toUsd(held, rate)].map(decimal)
  return { id, name: accountName, balance: decimal(balance), held: decimal(held), balanceUsd, heldUsd }
}

/** A key as its owner may see it at any time: never its value, which nobody has any more. */
function keyView({ id, name: keyName, requestsPerMinute, tokensPerMinute, createdAt }: KeyRecord): unknown {
  return { id, name: keyName, requestsPerMinute, tokensPerMinute, createdAt: new Date(createdAt).toISOString() }
}

function entryView({ accountId: _, number, at, amount, usd, rate: __, ...rest }: Entry): unknown {
  return {
    id: String(number),
    at: new Date(at).toISOString(),
    ...rest,
    amount: decimal(amount),
    amountUsd: decimal(usd),
  }
}

function unknown(what: string): GatewayError {
  return new GatewayError(`There is no ${what} with this id.`, {
    status: 404,
    type: 'invalid_request_error',
    code: 'not_found',
    param: 'id',
  })
}
