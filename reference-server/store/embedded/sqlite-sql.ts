import { usageByHourSql } from '../books-sql.ts'
import { peopleSql } from '../people-sql.ts'
import { requestColumns, requestLogSql } from '../request-log-sql.ts'

/** How many requests of the log one statement writes. */
export const logRowsMax = 64

const logRow = `(${requestColumns.map(() => '?')})`
const intoLog = `INSERT INTO requests (${requestColumns}) VALUES`

/** The embedded store's SQL by name: between threads a statement is its name and its values. */
export const sqlOf = {
  openAccounts: 'SELECT id, name, balance FROM accounts WHERE closed_at IS NULL ORDER BY created_at',
  liveKeys: 'SELECT * FROM keys WHERE deleted_at IS NULL',
  insertAccount: 'INSERT INTO accounts (id, name, balance, created_at) VALUES (?, ?, 0, ?)',
  closeAccount: 'UPDATE accounts SET closed_at = ? WHERE id = ?',
  insertKey: `INSERT INTO keys (id, account_id, name, hash, requests_per_minute, tokens_per_minute, created_at)
    VALUES (?, ?, ?, ?, ?, ?, ?)`,
  changeKey: 'UPDATE keys SET name = ?, requests_per_minute = ?, tokens_per_minute = ? WHERE id = ?',
  deleteKey: 'UPDATE keys SET deleted_at = ? WHERE id = ?',
  deleteKeysOf: 'UPDATE keys SET deleted_at = ? WHERE account_id = ? AND deleted_at IS NULL',
  /** Moves the balance and counts the entry; the entry then takes its number from the account. */
  moveBalance: 'UPDATE accounts SET balance = balance + ?, entries = entries + 1 WHERE id = ?',
  insertCredit: `INSERT INTO entries (account_id, number, at, kind, amount, usd, rate)
    SELECT id, entries, ?, 'credit', ?, ?, ? FROM accounts WHERE id = ? RETURNING number`,
  insertCharge: `INSERT INTO entries (account_id, number, at, kind, request_id, key_id, model, prompt_tokens,
      completion_tokens, amount, usd, rate)
    SELECT id, entries, ?, 'charge', ?, ?, ?, ?, ?, ?, ?, ? FROM accounts WHERE id = ?`,
  addUsage: `INSERT INTO usage_days (key_id, model, day, account_id, requests, prompt_tokens, completion_tokens, usd)
    VALUES (?, ?, ?, ?, 1, ?, ?, ?)
    ON CONFLICT (key_id, model, day) DO UPDATE SET requests = requests + 1,
      prompt_tokens = prompt_tokens + excluded.prompt_tokens,
      completion_tokens = completion_tokens + excluded.completion_tokens, usd = usd + excluded.usd`,
  entries: 'SELECT * FROM entries WHERE account_id = ? AND number > ? ORDER BY number LIMIT ?',
  entriesBefore: 'SELECT * FROM entries WHERE account_id = ? AND number < ? ORDER BY number DESC LIMIT ?',
  /** No row at all for a key that never existed. */
  keyUsage: `SELECT coalesce(sum(requests), 0) AS requests, coalesce(sum(prompt_tokens), 0) AS prompt_tokens,
      coalesce(sum(completion_tokens), 0) AS completion_tokens, coalesce(sum(usd), 0) AS usd
    FROM keys LEFT JOIN usage_days ON key_id = id WHERE id = ? GROUP BY id`,
  usageByDay: 'SELECT * FROM usage_days WHERE account_id = ? ORDER BY day DESC, key_id, model',
  usageByHour: usageByHourSql,
  ...peopleSql,
  ...requestLogSql,
  logRequest: `${intoLog} ${logRow}`,
  logManyRequests: `${intoLog} ${Array.from({ length: logRowsMax }, () => logRow)}`,
} as const satisfies Record<string, string>

export type StatementName = keyof typeof sqlOf

type SqlValue = string | number | bigint | null

/** One statement. Statements that build on each other's effects form a group. */
export interface Statement {
  readonly name: StatementName
  readonly values: readonly SqlValue[]
}
