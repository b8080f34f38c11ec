import { setTimeout as sleep } from 'node:timers/promises'
import { type Books, booksOf, unitsOf } from './books.ts'
import { type GatewayProcess, startGatewayProcess } from './gateway-process.ts'

export interface KillRounds {
  /** How often the gateway was killed. */
  readonly kills: number
  /** Requests whose last byte arrived. */
  readonly complete: number
  readonly charges: number
  /** What is wrong, in words; empty when the books are right. */
  readonly wrong: readonly string[]
}

const clients = 12
/** How long it may take until each client has been answered once. */
const loadMsMax = 20_000
/**
 * Kills a gateway with `kill -9` at random moments under load, and looks at the books after each restart: the sum of
 * the entries is the balance, nothing is held, and every request whose last byte arrived is charged exactly once.
 */
export async function killRounds(store: string, kills: number): Promise<KillRounds> {
  const complete = new Set<string>()
  const wrong: string[] = []
  let charges = 0
  let gateway = await startGatewayProcess(['--store', store])
  const { id } = await gateway.control<{ id: string }>('POST', '/accounts', { name: 'killed', creditUsd: '1000' })
  const { key } = await gateway.control<{ key: string }>('POST', `/accounts/${id}/keys`, { name: 'killed' })
  for (let round = 1; round <= kills; round += 1) {
    const load = Array.from({ length: clients }, (_, client) => askUntilDead(gateway, key, client, complete))
    // A busy machine answers late: only after every client was answered does a kill count as one under load.
    const enough = complete.size + clients
    const endMs = performance.now() + loadMsMax
    while (complete.size < enough && performance.now() < endMs) await sleep(5)
    await sleep(Math.random() * 400)
    await gateway.kill()
    await Promise.all(load)
    gateway = await startGatewayProcess(['--store', store])
    const seen = await booksOf(gateway, id)
    charges = seen.charges.length
    wrong.push(...problemsOf(seen, complete, round))
  }
  await gateway.kill()
  return { kills, complete: complete.size, charges, wrong }
}

/** Asks again and again, in both modes, and notes the requests that were answered in full. */
async function askUntilDead(
  { chat }: GatewayProcess,
  key: string,
  client: number,
  complete: Set<string>,
): Promise<void> {
  for (let turn = 0; ; turn += 1) {
    const stream = (client + turn) % 2 === 0
    try {
      const { status, requestId, text } = await chat(key, { stream })
      const isWhole = stream ? text.endsWith('data: [DONE]\n\n') : text.endsWith('}')
      if (status === 200 && isWhole && requestId !== null) complete.add(requestId)
    } catch {
      return
    }
  }
}

function problemsOf({ balance, held, sum, charges }: Books, complete: ReadonlySet<string>, round: number): string[] {
  const said: string[] = []
  const charged = new Set(charges)
  if (sum !== unitsOf(balance)) said.push(`the entries sum to ${sum}, the balance is ${balance}`)
  if (held !== '0') said.push(`${held} is held although nothing is in flight`)
  if (charged.size !== charges.length) said.push(`${charges.length - charged.size} requests are charged twice`)
  const lost = [...complete].filter((request) => !charged.has(request)).length
  if (lost > 0) said.push(`${lost} requests were answered in full but not charged`)
  const most = complete.size + round * clients
  if (charges.length > most) said.push(`${charges.length} charges for at most ${most} requests`)
  return said.map((one) => `after kill ${round}: ${one}`)
}
