import type { Clock } from '../../clock.ts'
import { dayOf } from '../../ledger/day.ts'
import { amount } from '../../ledger/money.ts'
import type { Hold, Holds } from '../store.ts'
import type { Committer } from './committer.ts'
import { type LiveAccount, type LiveAccounts, openIn } from './live-accounts.ts'
import * as sql from './sqlite-statements.ts'

export function embeddedHolds(committer: Committer, clock: Clock, accounts: LiveAccounts): Holds {
  const holds = new Map<string, Hold>()

  /** The account of a hold that this call has ended. */
  function end(hold: Hold): LiveAccount | undefined {
    if (!holds.delete(hold.requestId)) return undefined
    const account = accounts.get(hold.accountId)
    if (account !== undefined) account.held = amount(account.held - hold.amount)
    return account
  }

  return {
    hold(requestId, accountId, sum) {
      const account = openIn(accounts, accountId)
      if (account === undefined || account.balance - account.held < sum) return undefined
      account.held = amount(account.held + sum)
      const hold = { requestId, accountId, amount: sum }
      holds.set(requestId, hold)
      return hold
    },
    async charge(hold, charge) {
      if (charge.amount > hold.amount) throw new RangeError('a charge cannot be larger than its hold')
      const account = end(hold)
      if (account === undefined) throw new Error(`request ${hold.requestId} has already ended`)
      account.balance = amount(account.balance - charge.amount)
      const at = clock.unixMs()
      try {
        await committer.commit(...sql.charge(hold, charge, at, dayOf(at)))
      } catch (error) {
        account.balance = amount(account.balance + charge.amount)
        throw error
      }
    },
    async release(hold) {
      end(hold)
    },
  }
}
