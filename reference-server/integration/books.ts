import { setTimeout as sleep } from 'node:timers/promises'
import type { GatewayProcess } from './gateway-process.ts'

/** A PostgreSQL store frees the holds of a dead replica once its lease has expired. */
const releaseMsMax = 6000

/** What the control API says of an account once nothing is held any more, or after a while all the same. */
export interface Books {
  readonly balance: string
  readonly held: string
  /** Of all entries. */
  readonly sum: bigint
  /** The requests that were charged. */
  readonly charges: readonly string[]
  /** What each of them cost, in units of 1e-12. */
  readonly costs: ReadonlyMap<string, bigint>
  /** How many entries are credits. */
  readonly credits: number
}

interface Entry {
  readonly kind: string
  readonly amount: string
  readonly requestId?: string
}

export async function booksOf(gateway: GatewayProcess, id: string): Promise<Books> {
  const endMs = performance.now() + releaseMsMax
  let account = await gateway.control<{ balance: string; held: string }>('GET', `/accounts/${id}`)
  while (account.held !== '0' && performance.now() < endMs) {
    await sleep(100)
    account = await gateway.control('GET', `/accounts/${id}`)
  }
  const charges: string[] = []
  const costs = new Map<string, bigint>()
  let [sum, credits, after] = [0n, 0, '0']
  for (;;) {
    const page = await gateway.control<{ entries: Entry[]; next?: string }>(
      'GET',
      `/accounts/${id}/entries?limit=1000&after=${after}`,
    )
    for (const { kind, amount, requestId = '' } of page.entries) {
      sum += unitsOf(amount)
      if (kind === 'charge') {
        charges.push(requestId)
        costs.set(requestId, -unitsOf(amount))
      } else credits += 1
    }
    if (page.next === undefined) return { ...account, sum, charges, costs, credits }
    after = page.next
  }
}

export function unitsOf(decimal: string): bigint {
  const [whole = '0', fraction = ''] = decimal.replace('-', '').split('.')
  const units = BigInt(whole + fraction.padEnd(12, '0'))
  return decimal.startsWith('-') ? -units : units
}
