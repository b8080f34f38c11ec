import type { DayUsage, KeyRecord, KeyUsage } from '../store/store.ts'

/** A key and its usage. */
export interface KeyRow {
  readonly key: KeyRecord
  readonly usage: KeyUsage
  /** The UTC day, as `2026-11-21`. */
  readonly lastUsed?: string
}

const noUsage = { requests: 0, promptTokens: 0, completionTokens: 0, usd: 0n } as KeyUsage

/** `usage` is that of the key's account, the newest day first. */
export function keyRow(key: KeyRecord, usage: readonly DayUsage[]): KeyRow {
  const own = usage.filter(({ keyId }) => keyId === key.id)
  const [newest] = own
  const sum = own.reduce<KeyUsage>(
    (total, { requests, promptTokens, completionTokens, usd }) => ({
      requests: total.requests + requests,
      promptTokens: total.promptTokens + promptTokens,
      completionTokens: total.completionTokens + completionTokens,
      usd: (total.usd + usd) as KeyUsage['usd'],
    }),
    noUsage,
  )
  return { key, usage: sum, ...(newest !== undefined && { lastUsed: newest.day }) }
}
