import type { Clock } from '../../clock.ts'
import type { KeyIndex } from '../key-index.ts'
import { keyOf } from '../rows.ts'
import type { Keys } from '../store.ts'
import { changeKeySql, deleteKeySql, insertKeySql, keySql, keysOfSql } from './accounts-sql.ts'
import type { Postgres, Query } from './postgres.ts'
import type { Replica } from './replica.ts'

export function postgresKeys({ query, transaction }: Postgres, clock: Clock, replica: Replica, keys: KeyIndex): Keys {
  /** Whether the change found its row. If so, resolves once every replica knows. */
  async function change(keyId: string, run: (inside: Query) => ReturnType<Query>): Promise<boolean> {
    const isChanged = await transaction(async (inside) => {
      const rows = await run(inside)
      if (rows.length > 0) await replica.noteChange(inside, keyId)
      return rows.length > 0
    })
    if (isChanged) await replica.acknowledgedByAll()
    return isChanged
  }

  return {
    addKey({ id, accountId, name, hash, requestsPerMinute = null, tokensPerMinute = null, createdAt }) {
      const values = [id, accountId, name, hash, requestsPerMinute, tokensPerMinute, createdAt]
      return change(id, (inside) => inside(insertKeySql, values))
    },
    findKey(hash) {
      replica.id()
      return keys.find(hash)
    },
    async key(id) {
      const [row] = await query(keySql, [id])
      return row && keyOf(row)
    },
    async keysOf(accountId) {
      const rows = await query(keysOfSql, [accountId])
      return rows.map(keyOf)
    },
    changeKey: (id, { name, requestsPerMinute = null, tokensPerMinute = null }) =>
      change(id, (inside) => inside(changeKeySql, [id, name, requestsPerMinute, tokensPerMinute])),
    deleteKey: (id) => change(id, (inside) => inside(deleteKeySql, [id, clock.unixMs()])),
  }
}
