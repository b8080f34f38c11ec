import { creditOf } from './gateway/honest-seams.ts'
import type { Model } from './gateway/models.ts'
import { deriveKey, hashKey, type NewKey } from './keys/key.ts'
import { parseUsd, type Rate } from './ledger/money.ts'
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
}

/** The gateway knows this model, but no node serves it. */
export const dormantModel: Model = { id: 'dormant', ownedBy: 'assay', contextWindow: 131_072, price: 0.1 }

/** The name of the key whose account is empty. */
export const unfundedName = 'unfunded'

const LIMITED_REQUESTS_PER_MINUTE = 5
const CREDIT_USD = '1000'

/** Puts the demo accounts and keys into a store. The keys are the same for the same service and seed. */
export async function addDemoKeys(
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

function dollars(text: string, rate: Rate): Sum {
  const usd = parseUsd(text)
  if (usd === undefined) throw new RangeError(`not a sum of dollars: ${text}`)
  return creditOf(usd, rate)
}
