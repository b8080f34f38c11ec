import type { Clock } from '../../clock.ts'
import { type Amount, amount } from '../../ledger/money.ts'
import { type Hold, type Holds, StoreUnavailable } from '../store.ts'
import type { Journal } from './journal.ts'
import { type LiveAccount, type LiveAccounts, openIn } from './live-accounts.ts'

export function embeddedHolds(journal: Journal, clock: Clock, accounts: LiveAccounts): Holds {
  const holds = new Map<string, Hold>()
  /** What was taken from the account for charges that could not be written at once. */
  const unwritten = new WeakMap<Hold, Amount>()

  /** The account of a hold that this call has ended. */
  function end(hold: Hold): LiveAccount | undefined {
    if (!holds.delete(hold.requestId)) return undefined
    const account = accounts.get(hold.accountId)
    if (account !== undefined) account.held = amount(account.held - hold.amount)
    return account
  }

  return {
    hold(requestId, accountId, sum) {
      const trouble = journal.trouble()
      if (trouble !== undefined) throw new StoreUnavailable(trouble)
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
      try {
        await journal.charge(hold, charge, clock.unixMs())
      } catch (error) {
        if (error instanceof StoreUnavailable) unwritten.set(hold, charge.amount)
        else account.balance = amount(account.balance + charge.amount)
        throw error
      }
    },
    async release(hold) {
      end(hold)
      const sum = unwritten.get(hold)
      const account = accounts.get(hold.accountId)
      if (sum === undefined || account === undefined || !journal.cancelCharge(hold.requestId)) return
      account.balance = amount(account.balance + sum)
    },
  }
}
