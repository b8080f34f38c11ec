import { type How, hows } from './hows.ts'
import type { Reason } from './reasons.ts'
import type { What } from './what.ts'
import { whatsAnswered } from './whats-answered.ts'
import { whatsAsked } from './whats-asked.ts'
import { whatsCounted } from './whats-counted.ts'
import { whatsFailed } from './whats-failed.ts'
import { whatsLeft } from './whats-left.ts'
import { whatsOpen } from './whats-open.ts'
import { whatsStreamed } from './whats-streamed.ts'
import { type When, type WhenId, whens } from './whens.ts'

/** Everything that a gateway relays. */
export const whats = {
  ...whatsAsked,
  ...whatsAnswered,
  ...whatsStreamed,
  ...whatsCounted,
  ...whatsFailed,
  ...whatsLeft,
  ...whatsOpen,
} as const satisfies Readonly<Record<string, What>>

export type WhatId = keyof typeof whats

/** One place of the table: what × how × when. It is a fault, or empty with a reason. */
export interface Cell {
  readonly what: WhatId
  readonly how: How
  readonly when: WhenId
  /** Why it is empty; absent where there is a fault. */
  readonly reason?: Reason
}

/** Every cell, in the order of its axes. */
export const cells: readonly Cell[] = keysOf(whats).flatMap((what) =>
  keysOf(hows).flatMap((how) =>
    keysOf(whens).map((when): Cell => {
      const reason = reasonFor(whats[what], how, when)
      return reason === undefined ? { what, how, when } : { what, how, when, reason }
    }),
  ),
)

/** The permanent name of a cell. */
export function nameOf({ what, how, when }: Cell): string {
  return `relay:${what}:${how}:${when}`
}

function reasonFor(what: What, how: How, whenId: WhenId): Reason | undefined {
  const empty = what.empty[how]
  if (what.faults[how] === undefined || empty !== undefined) return empty ?? 'no-such-thing'
  const when: When = whens[whenId]
  if (when.of !== 'mode' && !what.times.includes(when.of)) return when.of === 'request' ? 'rare' : 'no-such-time'
  if (when.of === 'element' && how === 'reordered') return 'no-such-time'
  if (what.mode !== undefined && whenId === 'in-replies') return what.mode === 'reply' ? 'elsewhere' : 'no-such-time'
  if (what.mode !== undefined && whenId === 'in-streams') return what.mode === 'stream' ? 'elsewhere' : 'no-such-time'
  return what.emptyAt?.[how]?.[whenId]
}

function keysOf<T extends object>(table: T): readonly (keyof T & string)[] {
  return Object.keys(table) as (keyof T & string)[]
}
