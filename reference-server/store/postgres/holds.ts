import type { Clock } from '../../clock.ts'
import { dayOf } from '../../ledger/day.ts'
import type { PendingEnds } from '../pending-ends.ts'
import { type Charge, type Hold, type Holds, StoreUnavailable } from '../store.ts'
import { chargedSql, chargeSql, holdSql, placeSql, releaseSql, undoSql } from './holds-sql.ts'
import type { Postgres } from './postgres.ts'
import type { Replica } from './replica.ts'

export function postgresHolds({ query }: Postgres, clock: Clock, replica: Replica, pending: PendingEnds): Holds {
  /** Whether this call has charged the request, perhaps by an earlier attempt whose answer was lost. */
  async function chargeOnce(requestId: string, values: readonly unknown[], attempt: number): Promise<boolean> {
    const charged = await query(chargeSql, values)
    if (charged.length > 0 || attempt === 1) return charged.length > 0
    return (await query(chargedSql, [requestId])).length > 0
  }

  /** Ends a hold that may have been made or may still be on its way: an empty one takes its place, and waits for it if need be. */
  async function freeInDoubt(requestId: string, accountId: string): Promise<void> {
    const placed = await query(placeSql, [requestId, accountId, replica.id()])
    if (placed.length === 0) await query(releaseSql, [requestId])
  }

  return {
    async hold(requestId, accountId, sum) {
      if (pending.trouble !== undefined) throw new StoreUnavailable(pending.trouble)
      const values = [accountId, sum, requestId, replica.id()]
      const [row = {}] = await query(holdSql, values).catch((error: unknown) => {
        if (error instanceof StoreUnavailable && error.isInDoubt)
          void pending.settle(requestId, () => freeInDoubt(requestId, accountId)).catch(() => undefined)
        throw error
      })
      if (row['is_leased'] !== true) throw new StoreUnavailable('this replica has lost its lease')
      return row['is_held'] === true ? { requestId, accountId, amount: sum } : undefined
    },
    async charge(hold, charge) {
      if (charge.amount > hold.amount) throw new RangeError('a charge cannot be larger than its hold')
      const values = valuesOf(hold, charge, clock.unixMs())
      let [attempts, isCharged] = [0, false]
      await pending.settle(hold.requestId, async () => {
        attempts += 1
        isCharged = await chargeOnce(hold.requestId, values, attempts)
      })
      // Other replicas free the holds of one that was away for too long.
      if (!isCharged) throw new StoreUnavailable(`request ${hold.requestId} has already ended`)
    },
    async release({ requestId }) {
      const wasCharging = pending.cancel(requestId)
      await pending.settle(requestId, async () => {
        const released = await query(releaseSql, [requestId])
        if (wasCharging && released.length === 0) await query(undoSql, [requestId, `undo_${requestId}`, clock.unixMs()])
      })
    },
  }
}

function valuesOf({ requestId }: Hold, charge: Charge, at: number): readonly unknown[] {
  const { amount, keyId, model, promptTokens, completionTokens, usd, rate } = charge
  return [requestId, amount, at, keyId, model, promptTokens, completionTokens, usd, rate, dayOf(at)]
}
