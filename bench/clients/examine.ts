import { setTimeout as sleep } from 'node:timers/promises'
import type { Orders } from './orders.ts'
import type { Order, Seen } from './protocol.ts'
import { type Cell, shown } from './results.ts'
import { type Situation, situations } from './situations.ts'
import type { Stand } from './stand.ts'

/** The longest that a library of these tries again by itself, with its defaults, and still comes to an end. */
const patienceMs = 150_000
/** Whoever asks so often at once will never stop. */
const askedMax = 200
/** A reply that is left is noticed within this time, or goes on to its end. */
const leavingMs = 6000
const shownMax = 5

/** Every situation, one after another. */
export async function examine(orders: Orders, stand: Stand): Promise<Readonly<Record<string, Cell>>> {
  const cells: Record<string, Cell> = {}
  for (const situation of situations) cells[situation.id] = await cellOf(situation, orders, stand)
  return cells
}

async function cellOf(situation: Situation, orders: Orders, stand: Stand): Promise<Cell> {
  const requests: Seen[] = []
  let error: string | undefined
  let why: string | undefined
  const { baseUrl, apiKey } = stand
  for (const { order, wrong } of await situation.tasks(stand)) {
    stand.seen(0)
    const sinceMs = performance.now()
    const isBack = new AbortController()
    const whole: Order = { do: 'create', baseUrl, apiKey, model: 'small', prompt: '', ...order }
    const got = await orders.carryOut(whole, hopeless(stand, isBack.signal))
    isBack.abort()
    if (got.cannot !== undefined) return { verdict: 'cannot', why: got.cannot, asked: 0, requests: [] }
    const seen = [...stand.seen(sinceMs)]
    for (const endMs = performance.now() + leavingMs; seen.length === 0 && performance.now() < endMs; await sleep(20))
      seen.push(...stand.seen(sinceMs))
    requests.push(...seen)
    error ??= got.error
    why ??= wrong(got, seen)
  }
  return {
    verdict: why === undefined ? 'green' : 'red',
    ...(why !== undefined && { why: shown(why) }),
    ...(error !== undefined && { error: shown(error) }),
    asked: requests.length,
    requests: requests.slice(0, shownMax),
  }
}

/** Why it is no use to wait on, once that is so. */
async function hopeless(stand: Stand, isBack: AbortSignal): Promise<string> {
  const endMs = performance.now() + patienceMs
  while (!isBack.aborted && performance.now() < endMs) {
    if (stand.asked() > askedMax) return `more than ${askedMax} requests, and no end`
    await sleep(50)
  }
  return `no result after ${patienceMs / 1000} s`
}
