import type { Amount } from '../../ledger/money.ts'
import type { Account } from '../store.ts'

/** An account as the embedded store keeps it in memory. */
export interface LiveAccount {
  readonly id: string
  readonly name: string
  balance: Amount
  held: Amount
  /** A closed account starts no requests; those in flight still end and are charged. */
  isClosed: boolean
}

export type LiveAccounts = Map<string, LiveAccount>

/** The account, unless it is closed. */
export function openIn(accounts: LiveAccounts, id: string): LiveAccount | undefined {
  const account = accounts.get(id)
  return account?.isClosed === false ? account : undefined
}

export function viewOf({ id, name, balance, held }: LiveAccount): Account {
  return { id, name, balance, held }
}
