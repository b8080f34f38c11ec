import { hashKey } from '../keys/key.ts'
import type { Amount, PicoUsd, Rate } from '../ledger/money.ts'
import { randomId } from '../random-id.ts'
import { type KeyRecord, StoreUnavailable, type Sum } from '../store/store.ts'
import { send } from './client.ts'
import { models, type OwnedAccount, type OwnedKey, type Process, type Scene } from './scene.ts'

interface KeyLimits {
  readonly requestsPerMinute?: number
  readonly tokensPerMinute?: number
}

/** More than all requests of a world can cost. */
const RICH = 1_000_000_000n

function sumOf(units: bigint): Sum {
  return { amount: units as Amount, usd: units as PicoUsd, rate: 1_000_000_000_000n as Rate }
}

/** Opens an account while nothing fails. */
async function openAccount(scene: Scene, { store }: Process, units: bigint): Promise<OwnedAccount> {
  const { id } = await store.openAccount(`account ${scene.accounts.length}`, sumOf(units))
  const account: OwnedAccount = { id, isRich: units >= RICH, credits: [{ units, isSure: true }] }
  scene.accounts.push(account)
  return account
}

/** Makes a key while nothing fails. Ids are of this world only: others may share its database. */
async function makeKey(
  scene: Scene,
  { store, clock }: Process,
  account: OwnedAccount,
  limits: KeyLimits,
): Promise<OwnedKey> {
  const value = `sk-simulated-${randomId('')}`
  const hash = hashKey(value)
  const record: KeyRecord = { id: hash, accountId: account.id, name: 'key', hash, createdAt: clock.unixMs(), ...limits }
  if (!(await store.addKey(record))) throw new Error('an account that was just opened takes no key')
  const key: OwnedKey = { value, record, account, isDeleting: false, isDeleted: false }
  scene.keys.push(key)
  return key
}

/** A rich account and a poor one, with keys. */
export async function settleIn(scene: Scene, process: Process): Promise<readonly OwnedKey[]> {
  const sums = [RICH, BigInt(scene.draw.between(0, 12_000_000))]
  const [rich, poor] = await Promise.all(sums.map((units) => openAccount(scene, process, units)))
  if (rich === undefined || poor === undefined) throw new Error('an account was not opened')
  const limits = [
    { requestsPerMinute: scene.draw.between(1, 4), tokensPerMinute: 60 },
    { tokensPerMinute: scene.draw.between(5, 40) },
  ]
  return Promise.all([
    makeKey(scene, process, rich, {}),
    makeKey(scene, process, poor, {}),
    ...limits.map((one) => makeKey(scene, process, rich, one)),
  ])
}

/** Pays in. Where the answer is lost, the sum may be there or not. */
export async function credit(scene: Scene, { store }: Process, account: OwnedAccount): Promise<void> {
  // No two sums are the same, so that each is known again in the books.
  const paid = { units: BigInt(1_000_000 + account.credits.length), isSure: false }
  account.credits.push(paid)
  scene.say?.(`${paid.units} are paid in`)
  await store.credit(account.id, sumOf(paid.units)).then(
    () => {
      paid.isSure = true
    },
    (error: unknown) => noteFailure(scene, 'a credit', error),
  )
}

export async function deleteKey(scene: Scene, { store }: Process, key: OwnedKey): Promise<void> {
  key.isDeleting = true
  scene.say?.('a key is deleted')
  await store.deleteKey(key.record.id).then(
    () => {
      key.isDeleted = true
      scene.say?.('the key is deleted')
    },
    (error: unknown) => noteFailure(scene, 'the end of a key', error),
  )
}

function noteFailure({ problems }: Scene, what: string, error: unknown): void {
  if (!(error instanceof StoreUnavailable)) problems.push(`${what} failed: ${error}`)
}

/** How long a client that leaves stays at the most, in ms. */
const PATIENCE_MS = 300

/** A client asks; some leave before the end. */
export function ask(scene: Scene, process: Process, key: OwnedKey): void {
  const { draw, timeline, asked } = scene
  const one = {
    number: asked.length + 1,
    key,
    model: draw.pick(models),
    promptTokens: draw.between(1, 8),
    tokensMax: draw.between(1, 8),
    isStream: draw.isOneOf(2),
    process,
    received: 0,
    isWhole: false,
    hasLeft: false,
    isOver: false,
  }
  asked.push(one)
  const leaving = new AbortController()
  scene.say?.(`request ${one.number} comes to ${process.name}`)
  send(scene, one, leaving.signal)
  if (!draw.isOneOf(6)) return
  timeline.after(draw.delayMs(PATIENCE_MS), () => {
    if (one.isOver || one.isWhole) return
    scene.say?.(`the client of request ${one.number} leaves`)
    one.hasLeft = true
    leaving.abort()
  })
}
