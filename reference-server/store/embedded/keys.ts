import type { Clock } from '../../clock.ts'
import type { KeyIndex } from '../key-index.ts'
import type { Keys } from '../store.ts'
import type { Journal } from './journal.ts'
import { type LiveAccounts, openIn } from './live-accounts.ts'

export function embeddedKeys(journal: Journal, clock: Clock, accounts: LiveAccounts, keys: KeyIndex): Keys {
  return {
    async addKey(key) {
      if (openIn(accounts, key.accountId) === undefined) return false
      await journal.addKey(key)
      keys.add(key)
      return true
    },
    findKey: keys.find,
    key: async (id) => keys.byId(id),
    keysOf: async (accountId) => keys.ofAccount(accountId),
    async changeKey(id, terms) {
      if (keys.byId(id) === undefined) return false
      await journal.changeKey(id, terms)
      // It may have been deleted meanwhile.
      const key = keys.byId(id)
      if (key === undefined) return false
      const { accountId, hash, createdAt } = key
      keys.add({ id, accountId, hash, createdAt, ...terms })
      return true
    },
    async deleteKey(id) {
      // Refused from here on; the answer waits until a restart would refuse it too.
      if (!keys.remove(id)) return false
      await journal.deleteKey(id, clock.unixMs())
      return true
    },
  }
}
