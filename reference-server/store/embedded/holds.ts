import type { Clock } from '../../clock.ts'
import { amount } from '../../ledger/money.ts'
import type { Charge, Hold, Holds } from '../store.ts'
import { type LiveAccount, type LiveAccounts, openIn } from './live-accounts.ts'

/** Resolves when the charge is as durable as the store. */
type Write = (hold: Hold, charge: Charge, at: number) => Promise<unknown>

export function embeddedHolds(clock: Clock, accounts: LiveAccounts, write: Write): Holds {
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
      try {
        await write(hold, charge, clock.unixMs())
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
