import { hashKey, type NewKey } from './key.ts'

/** What is known of a key (C2.6). The key itself is not. */
export interface KeyRecord {
  readonly id: string
  readonly accountId: string
  readonly revoked: boolean
  readonly requestsPerMinute?: number
  readonly tokensPerMinute?: number
}

/** Every key of the gateway, by hash. A revocation holds from the next request on (C5.4). */
export interface Keyring {
  add(key: NewKey, terms: Omit<KeyRecord, 'id' | 'revoked'>): void
  revoke(keyId: string): void
  /** The record of a key as a client presents it; revoked ones too. */
  find(presented: string): KeyRecord | undefined
}

export function keyring(): Keyring {
  const byHash = new Map<string, KeyRecord>()
  const hashes = new Map<string, string>()
  return {
    add({ id, key }, terms) {
      const hash = hashKey(key)
      hashes.set(id, hash)
      byHash.set(hash, { id, revoked: false, ...terms })
    },
    revoke(keyId) {
      const hash = hashes.get(keyId)
      const record = hash === undefined ? undefined : byHash.get(hash)
      if (hash !== undefined && record !== undefined) byHash.set(hash, { ...record, revoked: true })
    },
    find: (presented) => byHash.get(hashKey(presented)),
  }
}
