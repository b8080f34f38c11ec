import type { RequestValues } from '../request-log-sql.ts'
import type { Charge, Hold, KeyRecord, KeyTerms, Sum } from '../store.ts'
import { logRowsMax, type Statement } from './sqlite-sql.ts'

export const openAccounts = (): Statement => ({ name: 'openAccounts', values: [] })
export const liveKeys = (): Statement => ({ name: 'liveKeys', values: [] })

export const insertAccount = (id: string, name: string, at: number): Statement => ({
  name: 'insertAccount',
  values: [id, name, at],
})

export const closeAccount = (id: string, at: number): Statement => ({ name: 'closeAccount', values: [at, id] })

export const insertKey = (key: KeyRecord): Statement => {
  const { id, accountId, name, hash, requestsPerMinute = null, tokensPerMinute = null, createdAt } = key
  return { name: 'insertKey', values: [id, accountId, name, hash, requestsPerMinute, tokensPerMinute, createdAt] }
}

export const changeKey = (id: string, { name, requestsPerMinute, tokensPerMinute }: KeyTerms): Statement => ({
  name: 'changeKey',
  values: [name, requestsPerMinute ?? null, tokensPerMinute ?? null, id],
})

export const deleteKey = (id: string, at: number): Statement => ({ name: 'deleteKey', values: [at, id] })

export const deleteKeysOf = (accountId: string, at: number): Statement => ({
  name: 'deleteKeysOf',
  values: [at, accountId],
})

export const credit = (accountId: string, at: number, { amount, usd, rate }: Sum): readonly Statement[] => [
  { name: 'moveBalance', values: [amount, accountId] },
  { name: 'insertCredit', values: [at, amount, usd, rate, accountId] },
]

export const charge = (
  { requestId, accountId }: Hold,
  charge: Charge,
  at: number,
  day: string,
): readonly Statement[] => {
  const { keyId, model, promptTokens, completionTokens, amount, usd, rate } = charge
  const counts = [promptTokens, completionTokens]
  return [
    { name: 'moveBalance', values: [-amount, accountId] },
    { name: 'insertCharge', values: [at, requestId, keyId, model, ...counts, -amount, -usd, rate, accountId] },
    { name: 'addUsage', values: [keyId, model, day, accountId, ...counts, usd] },
  ]
}

export const entries = (accountId: string, after: number, limit: number): Statement => ({
  name: 'entries',
  values: [accountId, after, limit],
})

export const entriesBefore = (accountId: string, before: number, limit: number): Statement => ({
  name: 'entriesBefore',
  values: [accountId, before, limit],
})

export const keyUsage = (keyId: string): Statement => ({ name: 'keyUsage', values: [keyId] })

export const usageByDay = (accountId: string): Statement => ({ name: 'usageByDay', values: [accountId] })

export const usageByHour = (accountId: string, since: number): Statement => ({
  name: 'usageByHour',
  values: [accountId, since],
})

/** As few statements as write these lines of the log. */
export function logRequests(rows: readonly RequestValues[]): readonly Statement[] {
  if (rows.length < logRowsMax) return rows.map((values) => ({ name: 'logRequest', values }))
  const many: Statement = { name: 'logManyRequests', values: rows.slice(0, logRowsMax).flat() }
  return [many, ...logRequests(rows.slice(logRowsMax))]
}
