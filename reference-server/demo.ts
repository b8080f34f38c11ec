import type { Model } from './gateway/models.ts'
import { deriveKey } from './keys/key.ts'
import type { Keyring } from './keys/keyring.ts'

/** What a demonstration, or a conformance run, needs to reach every state of a key and of a model. */
export interface Demo {
  readonly apiKey: string
  readonly secondKey: string
  readonly revokedKey: string
  readonly unfundedKey: string
  readonly limitedKey: string
  readonly model: string
  readonly unavailableModel: string
}

/** The gateway knows it, and no node serves it. */
export const dormantModel: Model = { id: 'dormant', ownedBy: 'assay', contextWindow: 131_072, price: 0.1 }

export const demoAccounts: ReadonlyMap<string, { readonly funded: boolean }> = new Map([
  ['demo', { funded: true }],
  ['demo-unfunded', { funded: false }],
])

const LIMITED_REQUESTS_PER_MINUTE = 5

/** Puts the demo keys on a ring. They are the same for the same service and seed. */
export function addDemoKeys(ring: Keyring, service: string, seed: number): Omit<Demo, 'model' | 'unavailableModel'> {
  const add = (name: string, accountId: string, requestsPerMinute?: number) => {
    const key = deriveKey(service, seed, name)
    ring.add(key, { accountId, ...(requestsPerMinute !== undefined && { requestsPerMinute }) })
    return key
  }
  const revoked = add('revoked', 'demo')
  ring.revoke(revoked.id)
  return {
    apiKey: add('first', 'demo').key,
    secondKey: add('second', 'demo').key,
    revokedKey: revoked.key,
    unfundedKey: add('unfunded', 'demo-unfunded').key,
    limitedKey: add('limited', 'demo', LIMITED_REQUESTS_PER_MINUTE).key,
  }
}
