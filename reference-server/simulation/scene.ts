import type { Clock } from '../clock.ts'
import type { Model } from '../gateway/models.ts'
import type { Seams } from '../gateway/seams.ts'
import type { Limits } from '../keys/limits.ts'
import type { Registry } from '../network/registry.ts'
import type { KeyRecord, Store } from '../store/store.ts'
import type { Bug } from './bug.ts'
import type { Draw } from './draw.ts'
import type { Machine } from './machines.ts'
import type { Calendar, Life, Timeline } from './timeline.ts'

/** A gateway process. */
export interface Process {
  readonly name: string
  readonly life: Life
  readonly clock: Clock
  readonly store: Store
  readonly limits: Limits
  readonly registry: Registry
  readonly seams: Seams
}

/** A request of a client, and all that the client saw of it. */
export interface Asked {
  readonly number: number
  readonly key: OwnedKey
  readonly model: Model
  readonly promptTokens: number
  readonly tokensMax: number
  readonly isStream: boolean
  readonly process: Process
  /** Of the answer's head. */
  status?: number
  /** Of an error. */
  code?: string
  /** Completion tokens that reached the client. */
  received: number
  /** The whole reply arrived, its last byte included. */
  isWhole: boolean
  hasLeft: boolean
  /** The gateway is done with it. */
  isOver: boolean
  /** The name under which the books know it. */
  requestId?: string
}

/** A sum that was paid in. Where the answer was lost, nobody knows whether it was. */
interface Paid {
  readonly units: bigint
  isSure: boolean
}

export interface OwnedAccount {
  readonly id: string
  /** It can pay for all that is ever asked. */
  readonly isRich: boolean
  readonly credits: Paid[]
}

export interface OwnedKey {
  readonly value: string
  readonly record: KeyRecord
  readonly account: OwnedAccount
  /** The owner has asked for its end. */
  isDeleting: boolean
  /** The owner was told that nobody accepts it any more. */
  isDeleted: boolean
}

/** One simulated world: what is in it, what happened and what was wrong. */
export interface Scene {
  readonly seed: number
  readonly timeline: Timeline
  readonly draw: Draw
  readonly calendar: Calendar
  readonly bug: Bug
  readonly machines: readonly Machine[]
  readonly accounts: OwnedAccount[]
  readonly keys: OwnedKey[]
  readonly asked: Asked[]
  readonly problems: string[]
  /** Told what happens, with its time, where somebody wants to read it. */
  readonly say: ((what: string) => void) | undefined
}

export const models: readonly [Model, Model] = [
  { id: 'small', ownedBy: 'simulation', contextWindow: 4096, price: 0.1 },
  { id: 'large', ownedBy: 'simulation', contextWindow: 4096, price: 0.6 },
]

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** Lets everything happen until that time. */
export async function runUntil({ timeline }: Scene, untilMs: number): Promise<void> {
  // Between two steps, all that waits for nothing but promises goes on.
  do await turn()
  while (timeline.step(untilMs))
}

/** Lets things happen until the work is over; it must not take longer than that time. */
export async function runWhile<T>(scene: Scene, work: Promise<T>, untilMs: number): Promise<T> {
  let isOver = false
  const over = (): void => {
    isOver = true
  }
  work.then(over, over)
  await turn()
  while (!isOver) {
    if (!scene.timeline.step(untilMs)) throw new Error(`something took longer than ${untilMs} ms`)
    await turn()
  }
  return work
}
