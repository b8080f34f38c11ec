import type { Amount, PicoUsd, Rate } from '../ledger/money.ts'
import type { People } from './people.ts'
import type { RequestLog } from './request-log.ts'

/** Holds money, and has keys that spend it (C1, C2.6). */
export interface Account {
  readonly id: string
  readonly name: string
  /** The sum of the account's entries. */
  readonly balance: Amount
  /** What is set aside for requests in flight. */
  readonly held: Amount
}

/** What the owner of a key decides: when it is created, and whenever it is changed (C2.6). */
export interface KeyTerms {
  readonly name: string
  readonly requestsPerMinute?: number
  readonly tokensPerMinute?: number
}

/** What is known of a key (C2.6), but not the key itself. */
export interface KeyRecord extends KeyTerms {
  /** The public part of the key. */
  readonly id: string
  readonly accountId: string
  readonly hash: string
  /** Milliseconds since 1970. */
  readonly createdAt: number
}

/** A sum with the rate at its time. */
export interface Sum {
  readonly amount: Amount
  readonly usd: PicoUsd
  readonly rate: Rate
}

/** Money set aside for one request. A hold ends in exactly one charge or one release. */
export interface Hold {
  readonly requestId: string
  readonly accountId: string
  readonly amount: Amount
}

/** What a request used, and what that costs. */
export interface Charge extends Sum {
  readonly keyId: string
  readonly model: string
  readonly promptTokens: number
  readonly completionTokens: number
}

/** One line of the books. Lines are only ever added. */
export interface Entry extends Sum {
  readonly accountId: string
  /** Position in the account's books, from 1 without gaps. */
  readonly number: number
  /** Milliseconds since 1970. */
  readonly at: number
  readonly kind: 'credit' | 'charge'
  readonly requestId?: string
  readonly keyId?: string
  readonly model?: string
  readonly promptTokens?: number
  readonly completionTokens?: number
}

export interface KeyUsage {
  readonly requests: number
  readonly promptTokens: number
  readonly completionTokens: number
  readonly usd: PicoUsd
}

/** A key's usage of one model on one day. */
export interface DayUsage extends KeyUsage {
  readonly keyId: string
  readonly model: string
  /** As `2026-11-21`, in UTC. */
  readonly day: string
}

/** A key's usage of one model in one hour. */
export interface HourUsage extends KeyUsage {
  readonly keyId: string
  readonly model: string
  /** As `2026-11-21 05:00`, in UTC. */
  readonly hour: string
}

/** The store cannot be relied on at the moment, so nothing may be promised: requests get a 503. */
export class StoreUnavailable extends Error {
  override readonly name = 'StoreUnavailable'
  /** Whether what was asked may have happened all the same, or may yet. */
  readonly isInDoubt: boolean

  constructor(message: string, { isInDoubt = false, cause }: { isInDoubt?: boolean; cause?: unknown } = {}) {
    super(message, { cause })
    this.isInDoubt = isInDoubt
  }
}

/** Opens, credits and closes accounts. */
export interface Accounts {
  /** Opens an account; its credit, if any, is the first entry. */
  openAccount(name: string, credit: Sum): Promise<Account>
  account(id: string): Promise<Account | undefined>
  /** Open accounts whose name contains a text, in any case of letters; the newest first, without the first `from`. */
  accounts(named: string, from: number, limit: number): Promise<readonly Account[]>
  /** Closes an account and deletes its keys. False when there is no such account. */
  closeAccount(id: string): Promise<boolean>
  credit(accountId: string, credit: Sum): Promise<Entry | undefined>
}

export interface Keys {
  /** False when there is no such account. */
  addKey(key: KeyRecord): Promise<boolean>
  /** The key with this hash, if it is live. Looks only in memory; throws `StoreUnavailable` when memory may be stale. */
  findKey(hash: string): KeyRecord | undefined
  /** The live key with this public id. */
  key(id: string): Promise<KeyRecord | undefined>
  keysOf(accountId: string): Promise<readonly KeyRecord[]>
  /**
   * Gives a key another name and other limits; a limit that is absent ends. Resolves when every replica knows them. False
   * when there is no live key with this id.
   */
  changeKey(id: string, terms: KeyTerms): Promise<boolean>
  /** Resolves when no replica accepts the key any more. False when there is no live key with this id. */
  deleteKey(id: string): Promise<boolean>
}

export interface Holds {
  /**
   * Checks and sets aside in one step; undefined when the account has less than that available, and `StoreUnavailable`
   * when nobody can say.
   */
  hold(requestId: string, accountId: string, amount: Amount): Hold | undefined | Promise<Hold | undefined>
  /**
   * Ends a hold with a charge of at most its amount. Rejects, and charges nothing, when the hold has already ended.
   * After `StoreUnavailable` it is charged as soon as the store can, unless it is released.
   */
  charge(hold: Hold, charge: Charge): Promise<void>
  /** Ends a hold without a charge, or undoes a charge that ended in `StoreUnavailable`. Releasing twice is harmless. */
  release(hold: Hold): Promise<void>
}

/** What the books say. */
export interface Books {
  /** Entries numbered above `after`, in order. */
  entries(accountId: string, after: number, limit: number): Promise<readonly Entry[]>
  /** Entries numbered below `before`, the newest first. */
  entriesBefore(accountId: string, before: number, limit: number): Promise<readonly Entry[]>
  /** Undefined when the key never existed. */
  keyUsage(keyId: string): Promise<KeyUsage | undefined>
  /** Of all keys of an account, including deleted ones, the newest day first. */
  usageByDay(accountId: string): Promise<readonly DayUsage[]>
  /** The same by hour, from a moment in milliseconds since 1970 on, added up from the entries of that time. */
  usageByHour(accountId: string, since: number): Promise<readonly HourUsage[]>
}

/**
 * Accounts, keys and the ledger. Whatever it acknowledges is as durable as the store: after a crash it is there,
 * whole, once.
 */
export interface Store extends Accounts, Keys, Holds, Books, People, RequestLog {
  /** Why it cannot be relied on now, if so. */
  trouble(): string | undefined
  close(): Promise<void>
}
