import type { Charge, Hold, KeyRecord, KeyTerms, Sum } from '../store.ts'

/**
 * Where a store that lives in memory writes down what it must not lose. Each write resolves when it is as durable as the
 * store, and rejects with `StoreUnavailable` when it cannot be written now.
 */
export interface Journal {
  /** Why it cannot be written now, or lags behind memory, if so. */
  trouble(): string | undefined
  openAccount(id: string, name: string, credit: Sum, at: number): Promise<void>
  /** Also deletes the account's keys. After `StoreUnavailable` it is written as soon as that is possible. */
  closeAccount(id: string, at: number): Promise<void>
  /** The number of the entry. */
  credit(accountId: string, credit: Sum, at: number): Promise<number>
  addKey(key: KeyRecord): Promise<void>
  changeKey(id: string, terms: KeyTerms): Promise<void>
  /** After `StoreUnavailable` it is written as soon as that is possible. */
  deleteKey(id: string, at: number): Promise<void>
  /** After `StoreUnavailable` it is written as soon as that is possible, unless it is cancelled. */
  charge(hold: Hold, charge: Charge, at: number): Promise<void>
  /** Drops a charge that is not written yet. False when there is none. */
  cancelCharge(requestId: string): boolean
}
