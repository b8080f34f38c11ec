import type { Clock } from '../../clock.ts'
import type { KeyIndex } from '../key-index.ts'
import type { Keys } from '../store.ts'
import type { Committer } from './committer.ts'
import { type LiveAccounts, openIn } from './live-accounts.ts'
import * as sql from './sqlite-statements.ts'

export function embeddedKeys(committer: Committer, clock: Clock, accounts: LiveAccounts, keys: KeyIndex): Keys {
  return {
    async addKey(key) {
      if (openIn(accounts, key.accountId) === undefined) return false
      await committer.commit(sql.insertKey(key))
      keys.add(key)
      return true
    },
    findKey: keys.find,
    keysOf: async (accountId) => keys.ofAccount(accountId),
    async deleteKey(id) {
      // Refused from here on; the answer waits until a restart would refuse it too.
      if (!keys.remove(id)) return false
      await committer.commit(sql.deleteKey(id, clock.unixMs()))
      return true
    },
  }
}
