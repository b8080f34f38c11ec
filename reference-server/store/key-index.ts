import type { KeyRecord } from './store.ts'

/** Live keys in memory, by their hash and by their id. */
export interface KeyIndex {
  find(hash: string): KeyRecord | undefined
  byId(id: string): KeyRecord | undefined
  ofAccount(accountId: string): readonly KeyRecord[]
  /** A key that is here already is replaced. */
  add(key: KeyRecord): void
  /** False when there is no such key. */
  remove(id: string): boolean
  clear(): void
}

export function keyIndex(): KeyIndex {
  const keys = new Map<string, KeyRecord>()
  const hashes = new Map<string, string>()
  return {
    find: (hash) => keys.get(hash),
    byId: (id) => keys.get(hashes.get(id) ?? ''),
    ofAccount: (accountId) => [...keys.values()].filter((key) => key.accountId === accountId),
    add(key) {
      keys.set(key.hash, key)
      hashes.set(key.id, key.hash)
    },
    remove(id) {
      const hash = hashes.get(id)
      return hash !== undefined && hashes.delete(id) && keys.delete(hash)
    },
    clear() {
      keys.clear()
      hashes.clear()
    },
  }
}
