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
  const byId = new Map<string, KeyRecord>()
  const byAccount = new Map<string, Map<string, KeyRecord>>()
  return {
    find: (hash) => keys.get(hash),
    byId: (id) => byId.get(id),
    ofAccount: (accountId) => [...(byAccount.get(accountId)?.values() ?? [])],
    add(key) {
      keys.set(key.hash, key)
      byId.set(key.id, key)
      const own = byAccount.get(key.accountId) ?? new Map<string, KeyRecord>()
      byAccount.set(key.accountId, own.set(key.id, key))
    },
    remove(id) {
      const key = byId.get(id)
      if (key === undefined) return false
      byId.delete(id)
      keys.delete(key.hash)
      const own = byAccount.get(key.accountId)
      own?.delete(id)
      if (own?.size === 0) byAccount.delete(key.accountId)
      return true
    },
    clear() {
      keys.clear()
      byId.clear()
      byAccount.clear()
    },
  }
}
