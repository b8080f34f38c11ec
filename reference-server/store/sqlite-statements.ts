import type { Statement } from './sqlite-engine.ts'
import type { Charge, Hold, KeyRecord, Sum } from './store.ts'

/** The embedded store's statements, each with its values. Those that return several belong into one group. */

export const openAccounts = (): Statement => ({
  sql: 'SELECT id, name, balance FROM accounts WHERE closed_at IS NULL',
  values: [],
})

export const liveKeys = (): Statement => ({ sql: 'SELECT * FROM keys WHERE deleted_at IS NULL', values: [] })

export const insertAccount = (id: string, name: string, at: number): Statement => ({
  sql: 'INSERT INTO accounts (id, name, balance, created_at) VALUES (?, ?, 0, ?)',
  values: [id, name, at],
})

export const closeAccount = (id: string, at: number): Statement => ({
  sql: 'UPDATE accounts SET closed_at = ? WHERE id = ?',
  values: [at, id],
})

export const insertKey = (key: KeyRecord): Statement => ({
  sql: `INSERT INTO keys (id, account_id, name, hash, requests_per_minute, tokens_per_minute, created_at)
    VALUES (?, ?, ?, ?, ?, ?, ?)`,
  values: [
    key.id,
    key.accountId,
    key.name,
    key.hash,
    key.requestsPerMinute ?? null,
    key.tokensPerMinute ?? null,
    key.createdAt,
  ],
})

export const deleteKey = (id: string, at: number): Statement => ({
  sql: 'UPDATE keys SET deleted_at = ? WHERE id = ?',
  values: [at, id],
})

export const deleteKeysOf = (accountId: string, at: number): Statement => ({
  sql: 'UPDATE keys SET deleted_at = ? WHERE account_id = ? AND deleted_at IS NULL',
  values: [at, accountId],
})

/** Moves the balance and counts the entry; the entry then takes its number from the account. */
const moveBalance = (accountId: string, change: bigint): Statement => ({
  sql: 'UPDATE accounts SET balance = balance + ?, entries = entries + 1 WHERE id = ?',
  values: [change, accountId],
})

export const credit = (accountId: string, at: number, { amount, usd, rate }: Sum): readonly Statement[] => [
  moveBalance(accountId, amount),
  {
    sql: `INSERT INTO entries (account_id, number, at, kind, amount, usd, rate)
      SELECT id, entries, ?, 'credit', ?, ?, ? FROM accounts WHERE id = ? RETURNING number`,
    values: [at, amount, usd, rate, accountId],
  },
]

export const charge = (hold: Hold, charge: Charge, at: number, day: string): readonly Statement[] => [
  moveBalance(hold.accountId, -charge.amount),
  {
    sql: `INSERT INTO entries (account_id, number, at, kind, request_id, key_id, model, prompt_tokens,
        completion_tokens, amount, usd, rate)
      SELECT id, entries, ?, 'charge', ?, ?, ?, ?, ?, ?, ?, ? FROM accounts WHERE id = ?`,
    values: [
      at,
      hold.requestId,
      charge.keyId,
      charge.model,
      charge.promptTokens,
      charge.completionTokens,
      -charge.amount,
      -charge.usd,
      charge.rate,
      hold.accountId,
    ],
  },
  {
    sql: `INSERT INTO usage_days (key_id, model, day, account_id, requests, prompt_tokens, completion_tokens, usd)
      VALUES (?, ?, ?, ?, 1, ?, ?, ?)
      ON CONFLICT (key_id, model, day) DO UPDATE SET requests = requests + 1,
        prompt_tokens = prompt_tokens + excluded.prompt_tokens,
        completion_tokens = completion_tokens + excluded.completion_tokens, usd = usd + excluded.usd`,
    values: [charge.keyId, charge.model, day, hold.accountId, charge.promptTokens, charge.completionTokens, charge.usd],
  },
]

export const entries = (accountId: string, after: number, limit: number): Statement => ({
  sql: 'SELECT * FROM entries WHERE account_id = ? AND number > ? ORDER BY number LIMIT ?',
  values: [accountId, after, limit],
})

/** No row at all for a key that never was. */
export const keyUsage = (keyId: string): Statement => ({
  sql: `SELECT coalesce(sum(requests), 0) AS requests, coalesce(sum(prompt_tokens), 0) AS prompt_tokens,
      coalesce(sum(completion_tokens), 0) AS completion_tokens, coalesce(sum(usd), 0) AS usd
    FROM keys LEFT JOIN usage_days ON key_id = id WHERE id = ? GROUP BY id`,
  values: [keyId],
})

export const usageByDay = (accountId: string): Statement => ({
  sql: 'SELECT * FROM usage_days WHERE account_id = ? ORDER BY day DESC, key_id, model',
  values: [accountId],
})
