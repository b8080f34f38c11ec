import type { Row } from '../../store/rows.ts'
import type { Tables } from './tables.ts'

/** What a statement is given: the committed tables, its values in their order, and the database's time. */
export interface Given {
  readonly tables: Tables
  readonly values: readonly unknown[]
  readonly nowMs: number
  /** Tells everybody who listens, once the transaction is committed. */
  notify(): void
}

/** A statement as the database carries it out. */
export interface Statement {
  /** What it locks until its transaction ends. It waits for others that have locked the same. */
  locks?(given: Given): readonly string[]
  /** Its rows, and what it changes when its transaction is committed. Throws `Violation`. */
  run(given: Given): { readonly rows: readonly Row[]; readonly change?: () => void }
}

export function textAt({ values }: Given, position: number): string {
  const value = values[position - 1]
  if (typeof value !== 'string') throw new TypeError(`value ${position} is no text`)
  return value
}

export function integerAt({ values }: Given, position: number): bigint {
  const value = values[position - 1]
  if (typeof value !== 'bigint' && typeof value !== 'number') throw new TypeError(`value ${position} is no integer`)
  return BigInt(value)
}

/** An interval like `2000 milliseconds`, in ms. */
export function intervalAt(given: Given, position: number): number {
  return Number.parseInt(textAt(given, position), 10)
}
