import { hourOf } from '../ledger/day.ts'
import type { Amount, PicoUsd, Rate } from '../ledger/money.ts'
import type { DayUsage, Entry, HourUsage, KeyRecord, KeyUsage } from './store.ts'

const HOUR_MS = 3_600_000

/** A row as either database returns it: 64-bit integers are bigints, absent values are null. */
export type Row = Readonly<Record<string, unknown>>

export function keyOf(row: Row): KeyRecord {
  const requestsPerMinute = optionalNumber(row, 'requests_per_minute')
  const tokensPerMinute = optionalNumber(row, 'tokens_per_minute')
  return {
    id: text(row, 'id'),
    accountId: text(row, 'account_id'),
    name: text(row, 'name'),
    hash: text(row, 'hash'),
    createdAt: number(row, 'created_at'),
    ...(requestsPerMinute !== undefined && { requestsPerMinute }),
    ...(tokensPerMinute !== undefined && { tokensPerMinute }),
  }
}

export function entryOf(row: Row): Entry {
  const entry = {
    accountId: text(row, 'account_id'),
    number: number(row, 'number'),
    at: number(row, 'at'),
    amount: integer(row, 'amount') as Amount,
    usd: integer(row, 'usd') as PicoUsd,
    rate: integer(row, 'rate') as Rate,
  }
  if (row['kind'] === 'credit') return { ...entry, kind: 'credit' }
  return {
    ...entry,
    kind: 'charge',
    requestId: text(row, 'request_id'),
    keyId: text(row, 'key_id'),
    model: text(row, 'model'),
    promptTokens: number(row, 'prompt_tokens'),
    completionTokens: number(row, 'completion_tokens'),
  }
}

export function usageOf(row: Row): KeyUsage {
  return {
    requests: number(row, 'requests'),
    promptTokens: number(row, 'prompt_tokens'),
    completionTokens: number(row, 'completion_tokens'),
    usd: integer(row, 'usd') as PicoUsd,
  }
}

export function dayUsageOf(row: Row): DayUsage {
  return { ...usageOf(row), keyId: text(row, 'key_id'), model: text(row, 'model'), day: text(row, 'day') }
}

/** The number of the hour since 1970 is in the column `hour`. */
export function hourUsageOf(row: Row): HourUsage {
  const hour = hourOf(number(row, 'hour') * HOUR_MS)
  return { ...usageOf(row), keyId: text(row, 'key_id'), model: text(row, 'model'), hour }
}

export function text(row: Row, column: string): string {
  const value = row[column]
  if (typeof value !== 'string') throw new TypeError(`column ${column} holds no text`)
  return value
}

export function integer(row: Row, column: string): bigint {
  const value = row[column]
  if (typeof value !== 'bigint') throw new TypeError(`column ${column} holds no integer`)
  return value
}

export function number(row: Row, column: string): number {
  return Number(integer(row, column))
}

export function optionalNumber(row: Row, column: string): number | undefined {
  return row[column] === null ? undefined : number(row, column)
}

export function optionalText(row: Row, column: string): string | undefined {
  return row[column] === null ? undefined : text(row, column)
}
