import { dayOf, hourOf } from '../../ledger/day.ts'
import type { Amount, PicoUsd } from '../../ledger/money.ts'
import type { Journal } from '../embedded/journal.ts'
import type { Books, Charge, DayUsage, Entry, HourUsage, KeyUsage, Sum } from '../store.ts'

/** Books in memory, and how they are written. */
export interface MemoryBooks {
  readonly books: Books
  readonly journal: Journal
  /** The charges of some requests, by their ids. */
  chargesOf(accountId: string, requestIds: ReadonlySet<string>): ReadonlyMap<string, Entry>
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] }
type Tally = Mutable<DayUsage>

/** What a key has used of each model on each day, the latest day last. */
interface KeyBook {
  readonly tallies: Tally[]
}

export function memoryBooks(): MemoryBooks {
  const books = new Map<string, Entry[]>()
  const keyBooks = new Map<string, KeyBook>()
  const keyBooksOf = new Map<string, KeyBook[]>()

  function bookOf(accountId: string): Entry[] {
    const book = books.get(accountId) ?? []
    if (book.length === 0) books.set(accountId, book)
    return book
  }

  function keyBookOf(keyId: string, accountId: string): KeyBook {
    const known = keyBooks.get(keyId)
    if (known !== undefined) return known
    const book: KeyBook = { tallies: [] }
    keyBooks.set(keyId, book)
    const ofAccount = keyBooksOf.get(accountId)
    if (ofAccount === undefined) keyBooksOf.set(accountId, [book])
    else ofAccount.push(book)
    return book
  }

  function addCredit(accountId: string, credit: Sum, at: number): number {
    const book = bookOf(accountId)
    return book.push({ kind: 'credit', accountId, number: book.length + 1, at, ...credit })
  }

  const journal: Journal = {
    trouble: () => undefined,
    async openAccount(id, _name, credit, at) {
      if (credit.amount > 0n) addCredit(id, credit, at)
    },
    async closeAccount() {},
    credit: async (accountId, credit, at) => addCredit(accountId, credit, at),
    async addKey({ id, accountId }) {
      keyBookOf(id, accountId)
    },
    async changeKey() {},
    async deleteKey() {},
    async charge({ requestId, accountId }, charge, at) {
      const { keyId, model, promptTokens, completionTokens, rate } = charge
      const book = bookOf(accountId)
      book.push({
        kind: 'charge',
        accountId,
        number: book.length + 1,
        at,
        requestId,
        keyId,
        model,
        promptTokens,
        completionTokens,
        amount: -charge.amount as Amount,
        usd: -charge.usd as PicoUsd,
        rate,
      })
      addUsage(keyBookOf(keyId, accountId).tallies, charge, dayOf(at))
    },
    cancelCharge: () => false,
  }
  return {
    journal,
    chargesOf: (accountId, requestIds) => chargesIn(books.get(accountId) ?? [], requestIds),
    books: booksIn(books, keyBooks, keyBooksOf),
  }
}

function booksIn(
  books: ReadonlyMap<string, readonly Entry[]>,
  keyBooks: ReadonlyMap<string, KeyBook>,
  keyBooksOf: ReadonlyMap<string, readonly KeyBook[]>,
): Books {
  return {
    entries: async (accountId, after, limit) => books.get(accountId)?.slice(after, after + limit) ?? [],
    async entriesBefore(accountId, before, limit) {
      const book = books.get(accountId) ?? []
      const end = Math.min(book.length, before - 1)
      return book.slice(Math.max(0, end - limit), end).reverse()
    },
    async keyUsage(keyId) {
      const book = keyBooks.get(keyId)
      return book && sumOf(book.tallies)
    },
    usageByHour: async (accountId, since) => usageSince(books.get(accountId) ?? [], since),
    usageByDay: async (accountId) =>
      (keyBooksOf.get(accountId) ?? [])
        .flatMap(({ tallies }) => tallies.map((tally) => ({ ...tally })))
        .sort(
          (one, other) =>
            compare(other.day, one.day) || compare(one.keyId, other.keyId) || compare(one.model, other.model),
        ),
  }
}

/** From the newest on, until one is older. */
function usageSince(book: readonly Entry[], since: number): readonly HourUsage[] {
  const tallies = new Map<string, Mutable<HourUsage>>()
  for (let index = book.length - 1; index >= 0 && (book[index]?.at ?? 0) >= since; index -= 1) {
    const { at = 0, keyId, model, promptTokens = 0, completionTokens = 0, usd = 0n } = book[index] ?? {}
    if (keyId === undefined || model === undefined) continue
    const hour = hourOf(at)
    const place = JSON.stringify([hour, keyId, model])
    const none = { keyId, model, hour, requests: 0, promptTokens: 0, completionTokens: 0, usd: 0n as PicoUsd }
    const tally = tallies.get(place) ?? none
    tallies.set(place, tally)
    tally.requests += 1
    tally.promptTokens += promptTokens
    tally.completionTokens += completionTokens
    tally.usd = (tally.usd - usd) as PicoUsd
  }
  return [...tallies.values()].sort(
    (one, other) => compare(other.hour, one.hour) || compare(one.keyId, other.keyId) || compare(one.model, other.model),
  )
}

/** From the newest on, because those are mostly asked for. */
function chargesIn(book: readonly Entry[], requestIds: ReadonlySet<string>): ReadonlyMap<string, Entry> {
  const found = new Map<string, Entry>()
  for (let at = book.length - 1; at >= 0 && found.size < requestIds.size; at -= 1) {
    const entry = book[at]
    if (entry?.requestId !== undefined && requestIds.has(entry.requestId)) found.set(entry.requestId, entry)
  }
  return found
}

function addUsage(tallies: Tally[], charge: Charge, day: string): void {
  const { keyId, model, promptTokens, completionTokens, usd } = charge
  const tally = tallies.findLast((one) => one.model === model && one.day === day)
  if (tally === undefined) {
    tallies.push({ keyId, model, day, requests: 1, promptTokens, completionTokens, usd })
    return
  }
  tally.requests += 1
  tally.promptTokens += promptTokens
  tally.completionTokens += completionTokens
  tally.usd = (tally.usd + usd) as PicoUsd
}

function sumOf(tallies: readonly Tally[]): KeyUsage {
  const sum = { requests: 0, promptTokens: 0, completionTokens: 0, usd: 0n as PicoUsd }
  for (const { requests, promptTokens, completionTokens, usd } of tallies) {
    sum.requests += requests
    sum.promptTokens += promptTokens
    sum.completionTokens += completionTokens
    sum.usd = (sum.usd + usd) as PicoUsd
  }
  return sum
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0
}
