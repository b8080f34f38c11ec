import type { Row } from '../../store/rows.ts'

export interface AccountRow {
  readonly id: string
  readonly name: string
  balance: bigint
  held: bigint
}

export interface HoldRow {
  readonly accountId: string
  readonly amount: bigint
  replicaId: string
}

interface ReplicaRow {
  leaseUntilMs: number
  seenChange: bigint
}

/** What is committed, as far as money, keys and replicas are concerned. */
export interface Tables {
  readonly accounts: Map<string, AccountRow>
  readonly keys: Map<string, Row>
  readonly holds: Map<string, HoldRow>
  /** By account, in their order. */
  readonly entries: Map<string, Row[]>
  /** By request. */
  readonly charges: Map<string, Row>
  readonly replicas: Map<string, ReplicaRow>
  readonly changes: { readonly number: bigint; readonly keyId: string }[]
  /** The number that the last change got, be it committed or not. */
  lastChange: bigint
}

export function emptyTables(): Tables {
  return {
    accounts: new Map(),
    keys: new Map(),
    holds: new Map(),
    entries: new Map(),
    charges: new Map(),
    replicas: new Map(),
    changes: [],
    lastChange: 0n,
  }
}

/** A statement broke a rule of the tables, which means that it is wrong. */
export class Violation extends Error {
  override readonly name = 'Violation'
}

/** Changes what an account has and what is set aside of it, within what the tables allow. */
export function move(account: AccountRow, balance: bigint, held: bigint): void {
  if (account.balance + balance < 0n) throw new Violation('accounts_balance_check')
  if (account.held + held < 0n) throw new Violation('accounts_held_check')
  account.balance += balance
  account.held += held
}

/** Adds an entry with the next number of its account, and returns it. */
export function addEntry(tables: Tables, accountId: string, entry: Row): Row {
  const entries = tables.entries.get(accountId) ?? []
  tables.entries.set(accountId, entries)
  const requestId = entry['request_id']
  if (typeof requestId === 'string' && tables.charges.has(requestId)) throw new Violation('entries_request_id_key')
  const row = { ...entry, account_id: accountId, number: BigInt(entries.length + 1) }
  entries.push(row)
  if (typeof requestId === 'string') tables.charges.set(requestId, row)
  return row
}

/** Frees holds, and what they set aside. */
export function freeHolds(tables: Tables, isFreed: (hold: HoldRow) => boolean): void {
  for (const [requestId, hold] of tables.holds) {
    if (!isFreed(hold)) continue
    tables.holds.delete(requestId)
    const account = tables.accounts.get(hold.accountId)
    if (account !== undefined) move(account, 0n, -hold.amount)
  }
}
