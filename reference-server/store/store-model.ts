import fc from 'fast-check'
import { amount, type PicoUsd, type Rate } from '../ledger/money.ts'
import type { Charge, Hold, Store, Sum } from './store.ts'

const rate = 1_000_000_000_000n as Rate

export function sum(units: number): Sum {
  return { amount: amount(units), usd: BigInt(units) as PicoUsd, rate }
}

export function charge(units: number, keyId = 'key'): Charge {
  return { ...sum(units), keyId, model: 'small', promptTokens: units, completionTokens: 1 }
}

/** What the books must say, kept alongside the real ones. */
export interface Books {
  readonly accounts: Map<string, { balance: number; held: number; entries: number[] }>
  readonly holds: Hold[]
  /** Holds that have ended, to be ended again. */
  readonly ended: Hold[]
}

/** The store under test. A crash replaces it with a fresh one on the same durable data. */
export interface Shop {
  store: Store
  readonly crash: () => Promise<Store>
}

type Command = fc.AsyncCommand<Books, Shop>

function command(
  name: string,
  isPossible: (books: Books) => boolean,
  run: (books: Books, shop: Shop) => Promise<void>,
) {
  return { check: isPossible, run, toString: () => name } satisfies Command
}

const nth = <T>(list: readonly T[], index: number): T => {
  const item = list[index % list.length]
  if (item === undefined) throw new RangeError('the list is empty')
  return item
}

function bookOf(books: Books, index: number): { readonly id: string; readonly book: Book } {
  const [id, book] = nth([...books.accounts], index)
  return { id, book }
}
type Book = Books['accounts'] extends Map<string, infer T> ? T : never

function expectEqual(what: string, actual: unknown, expected: unknown): void {
  if (actual !== expected) throw new Error(`${what}: ${actual} instead of ${expected}`)
}

const hasAccount = ({ accounts }: Books): boolean => accounts.size > 0
const small = fc.nat(20)
let requests = 0

async function openAccount(books: Books, { store }: Shop, units: number): Promise<void> {
  const { id } = await store.openAccount('owner', sum(units))
  books.accounts.set(id, { balance: units, held: 0, entries: units > 0 ? [units] : [] })
}

async function hold(books: Books, { store }: Shop, index: number, units: number): Promise<void> {
  const { id, book } = bookOf(books, index)
  requests += 1
  const isCovered = book.balance - book.held >= units
  // Booked before the store answers, as another request would see it.
  if (isCovered) book.held += units
  const held = await store.hold(`req_${process.pid}_${requests}`, id, amount(units))
  expectEqual('a hold is granted', held !== undefined, isCovered)
  if (held !== undefined) books.holds.push(held)
}

async function end(books: Books, { store }: Shop, index: number, share: number, isCharged: boolean): Promise<void> {
  const taken = nth(books.holds, index)
  books.holds.splice(books.holds.indexOf(taken), 1)
  books.ended.push(taken)
  const book = books.accounts.get(taken.accountId)
  if (book === undefined) throw new Error('a hold belongs to an account')
  const units = Math.min(share, Number(taken.amount))
  book.held -= Number(taken.amount)
  if (!isCharged) return store.release(taken)
  book.balance -= units
  book.entries.push(-units)
  await store.charge(taken, charge(units))
}

/** Concurrent holds on one account: as many are granted as it can pay, no more. */
async function rush(books: Books, shop: Shop, index: number, units: number): Promise<void> {
  const { id, book } = bookOf(books, index)
  const free = Math.floor((book.balance - book.held) / Math.max(1, units))
  const asked = free + 3
  const granted = await Promise.all(
    Array.from({ length: asked }, () => {
      requests += 1
      return shop.store.hold(`req_${process.pid}_${requests}`, id, amount(Math.max(1, units)))
    }),
  )
  const held = granted.filter((one) => one !== undefined)
  expectEqual('holds granted in a rush', held.length, free)
  book.held += held.length * Math.max(1, units)
  books.holds.push(...held)
}

async function endAgain({ ended }: Books, { store }: Shop, index: number): Promise<void> {
  const before = nth(ended, index)
  await store.release(before)
  await store.charge(before, charge(0)).then(
    () => {
      throw new Error('a request was ended twice')
    },
    () => undefined,
  )
}

async function crash(books: Books, shop: Shop): Promise<void> {
  shop.store = await shop.crash()
  books.ended.push(...books.holds.splice(0))
  for (const book of books.accounts.values()) book.held = 0
}

/** Compares the store's accounts with the books. */
export async function audit(books: Books, { store }: Shop): Promise<void> {
  for (const [id, book] of books.accounts) {
    const account = await store.account(id)
    expectEqual('the balance', account?.balance, BigInt(book.balance))
    expectEqual('what is held', account?.held, BigInt(book.held))
    const entries = await store.entries(id, 0, 1000)
    expectEqual(
      'the sum of the entries',
      entries.reduce((total, entry) => total + entry.amount, 0n),
      BigInt(book.balance),
    )
    expectEqual(
      'the entries',
      entries
        .map((entry) => Number(entry.amount))
        .sort()
        .join(),
      [...book.entries].sort().join(),
    )
    expectEqual('the numbers', entries.map(({ number }) => number).join(), entries.map((_, at) => at + 1).join())
  }
}

/** What a durable store also survives. */
export const crashing: fc.Arbitrary<Command> = fc.constant(command('crash', () => true, crash))

/** Everything that can happen to the books while the store runs. */
export const commands: fc.Arbitrary<Command>[] = [
  small.map((units) =>
    command(
      `open with ${units}`,
      () => true,
      (books, shop) => openAccount(books, shop, units),
    ),
  ),
  fc.tuple(small, small).map(([index, units]) =>
    command(`credit ${units + 1}`, hasAccount, async (books, { store }) => {
      const { id, book } = bookOf(books, index)
      await store.credit(id, sum(units + 1))
      book.balance += units + 1
      book.entries.push(units + 1)
    }),
  ),
  fc
    .tuple(small, small)
    .map(([index, units]) => command(`hold ${units}`, hasAccount, (books, shop) => hold(books, shop, index, units))),
  fc
    .tuple(small, small)
    .map(([index, units]) => command(`rush of ${units}`, hasAccount, (books, shop) => rush(books, shop, index, units))),
  fc.tuple(small, small, fc.boolean()).map(([index, share, isCharged]) =>
    command(
      isCharged ? `charge ${share}` : 'release',
      ({ holds }) => holds.length > 0,
      (books, shop) => end(books, shop, index, share, isCharged),
    ),
  ),
  fc.constant(
    command(
      'charge all at once',
      ({ holds }) => holds.length > 0,
      async (books, shop) => {
        await Promise.all(books.holds.map(() => end(books, shop, 0, 1, true)))
      },
    ),
  ),
  small.map((index) =>
    command(
      'end again',
      ({ ended }) => ended.length > 0,
      (books, shop) => endAgain(books, shop, index),
    ),
  ),
  fc.constant(command('audit', () => true, audit)),
]
