import { addHistory, historyDays } from './demo-history.ts'
import { creditOf } from './gateway/honest-seams.ts'
import type { Model } from './gateway/models.ts'
import { deriveKey, hashKey, type NewKey } from './keys/key.ts'
import { parseUsd, type Rate } from './ledger/money.ts'
import type { SetClock } from './set-clock.ts'
import type { Store, Sum } from './store/store.ts'

/** What a demonstration or a conformance run needs to meet every state of a key and of a model. */
export interface Demo {
  readonly apiKey: string
  readonly secondKey: string
  readonly revokedKey: string
  readonly unfundedKey: string
  readonly limitedKey: string
  readonly model: string
  readonly unavailableModel: string
  /** Who signs in to the dashboard and sees the account of the first keys; absent without a dashboard. */
  readonly person?: { readonly email: string; readonly password: string }
}

/** The gateway knows this model, but no node serves it. */
export const dormantModel: Model = { id: 'dormant', ownedBy: 'assay', contextWindow: 131_072, price: 0.1 }

/** The name of the key whose account is empty. */
export const unfundedName = 'unfunded'

const LIMITED_REQUESTS_PER_MINUTE = 5
const CREDIT_USD = '1000'
const DAY_MS = 86_400_000

interface DemoOptions {
  readonly service: string
  readonly seed: number
  readonly rate: Rate
  readonly clock: SetClock
  readonly models: readonly Model[]
  /** Whether there is a dashboard, for a person to sign in to. */
  readonly dashboard: boolean
}

/** Puts a demonstration into a store: accounts, keys and a person. Secrets are the same for the same service and seed. */
export async function addDemo(store: Store, options: DemoOptions): Promise<Demo> {
  const { service, seed, rate, models, clock, dashboard } = options
  // The account is as old as its history.
  if (dashboard) clock.set(clock.unixMs() - (historyDays + 1) * DAY_MS)
  const keys = await addKeys(store, service, seed, rate)
  clock.set(undefined)
  return {
    ...keys,
    model: models[0]?.id ?? dormantModel.id,
    unavailableModel: dormantModel.id,
    ...(dashboard && { person: await addPerson(store, options, keys.apiKey) }),
  }
}

async function addKeys(
  store: Store,
  service: string,
  seed: number,
  rate: Rate,
): Promise<Omit<Demo, 'model' | 'unavailableModel'>> {
  const keys = Object.fromEntries(
    ['first', 'second', 'revoked', unfundedName, 'limited'].map((name) => [name, deriveKey(service, seed, name)]),
  )
  const key = (name: string): NewKey => keys[name] ?? deriveKey(service, seed, name)
  const demo = {
    apiKey: key('first').key,
    secondKey: key('second').key,
    revokedKey: key('revoked').key,
    unfundedKey: key(unfundedName).key,
    limitedKey: key('limited').key,
  }
  // A durable store has them already.
  if (store.findKey(hashKey(demo.apiKey)) !== undefined) return demo
  const [rich, poor] = await Promise.all([
    store.openAccount('demo', dollars(CREDIT_USD, rate)),
    store.openAccount('demo without funds', dollars('0', rate)),
  ])
  const add = (name: string, accountId: string, limits: { readonly requestsPerMinute?: number } = {}) => {
    const { id, key: value } = key(name)
    return store.addKey({ id, accountId, name, hash: hashKey(value), createdAt: Date.now(), ...limits })
  }
  await Promise.all([
    add('first', rich.id),
    add('second', rich.id),
    add('revoked', rich.id),
    add(unfundedName, poor.id),
    add('limited', rich.id, { requestsPerMinute: LIMITED_REQUESTS_PER_MINUTE }),
  ])
  await store.deleteKey(key('revoked').id)
  return demo
}

/** Lets a person sign in to the account of a key, and gives the account a month of use under keys of its own. */
async function addPerson(store: Store, options: DemoOptions, apiKey: string): Promise<NonNullable<Demo['person']>> {
  const { service, seed } = options
  const person = { email: 'demo@example.com', password: deriveKey(service, seed, 'person').key.slice(-16) }
  const accountId = store.findKey(hashKey(apiKey))?.accountId
  // A durable store has the person already.
  if (accountId === undefined || (await store.person(person.email)) !== undefined) return person
  // Loaded only where there is a dashboard to sign in to.
  const { hashPassword } = await import('./dashboard/passwords.ts')
  const passwordHash = await hashPassword(person.password)
  await store.addPerson({ email: person.email, accountId, passwordHash, createdAt: Date.now() })
  const keys = ['web app', 'nightly batch'].map((name) => ({ ...deriveKey(service, seed, name), name }))
  for (const { id, key, name } of keys)
    await store.addKey({ id, accountId, name, hash: hashKey(key), createdAt: Date.now() - (historyDays + 1) * DAY_MS })
  await addHistory(store, { ...options, accountId, keyIds: keys.map(({ id }) => id) })
  return person
}

function dollars(text: string, rate: Rate): Sum {
  const usd = parseUsd(text)
  if (usd === undefined) throw new RangeError(`not a sum of dollars: ${text}`)
  return creditOf(usd, rate)
}
