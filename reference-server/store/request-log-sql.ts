import type { PicoUsd } from '../ledger/money.ts'
import {
  type BookedRequest,
  type LoggedRequest,
  type Outcome,
  outcomes,
  type RequestLog,
  requestIdAt,
} from './request-log.ts'
import { integer, number, optionalNumber, optionalText, type Row, text } from './rows.ts'

/** The columns of a request, in the order of `valuesOf`. */
export const requestColumns = [
  'id',
  'at',
  'account_id',
  'key_id',
  'model',
  'outcome',
  'status',
  'code',
  'first_token_ms',
  'duration_ms',
] as const

export type RequestValues = readonly (string | number | null)[]

/** Old requests are forgotten so many at a time: charges that come meanwhile wait for one such step at most. */
const FORGOTTEN_AT_ONCE = 500

/** Statements that both databases understand, except for how they mark values. */
export const requestLogSql = {
  requests: `SELECT requests.*, prompt_tokens, completion_tokens, usd
    FROM requests LEFT JOIN entries ON entries.request_id = requests.id
    WHERE requests.account_id = ?1 AND requests.id < ?2
      AND (CAST(?3 AS TEXT) IS NULL OR requests.id = ?3) AND (CAST(?4 AS TEXT) IS NULL OR requests.key_id = ?4)
      AND (CAST(?5 AS TEXT) IS NULL OR requests.model = ?5) AND (CAST(?6 AS TEXT) IS NULL OR requests.outcome = ?6)
    ORDER BY requests.id DESC LIMIT ?7`,
  /** Account by account, because that is how they are found. */
  forgetRequests: `DELETE FROM requests WHERE (account_id, id) IN (
      SELECT account_id, requests.id FROM accounts CROSS JOIN requests
      WHERE account_id = accounts.id AND requests.id < ?1 LIMIT ${FORGOTTEN_AT_ONCE})
    RETURNING id`,
} as const

type Statement = keyof typeof requestLogSql

/** After every id. */
const last = 'z'

/** The request log of a database that runs these statements, and has its own way of writing many rows. */
export function requestLogOf(
  run: (name: Statement, ...values: RequestValues) => Promise<readonly Row[]>,
  write: (rows: readonly RequestValues[]) => Promise<void>,
): RequestLog {
  return {
    logRequests: (requests) => write(requests.map(valuesOf)),
    async requests(accountId, { id = null, keyId = null, model = null, outcome = null }, before = last, limit) {
      const rows = await run('requests', accountId, before, id, keyId, model, outcome, limit)
      return rows.map(requestOf)
    },
    async forgetRequests(before) {
      const end = requestIdAt(before)
      let forgotten: readonly Row[]
      do forgotten = await run('forgetRequests', end)
      while (forgotten.length === FORGOTTEN_AT_ONCE)
    },
  }
}

function valuesOf(request: LoggedRequest): RequestValues {
  const { id, at, accountId, keyId, model = null, outcome, status, code = null, firstTokenMs = null } = request
  return [id, at, accountId, keyId, model, outcome, status, code, firstTokenMs, request.durationMs]
}

function requestOf(row: Row): BookedRequest {
  const model = optionalText(row, 'model')
  const code = optionalText(row, 'code')
  const firstTokenMs = optionalNumber(row, 'first_token_ms')
  return {
    id: text(row, 'id'),
    at: number(row, 'at'),
    accountId: text(row, 'account_id'),
    keyId: text(row, 'key_id'),
    outcome: outcomeIn(row),
    status: number(row, 'status'),
    durationMs: number(row, 'duration_ms'),
    ...(model !== undefined && { model }),
    ...(code !== undefined && { code }),
    ...(firstTokenMs !== undefined && { firstTokenMs }),
    ...(row['usd'] !== null && {
      promptTokens: number(row, 'prompt_tokens'),
      completionTokens: number(row, 'completion_tokens'),
      usd: -integer(row, 'usd') as PicoUsd,
    }),
  }
}

function outcomeIn(row: Row): Outcome {
  const outcome = outcomes.find((one) => one === row['outcome'])
  if (outcome === undefined) throw new TypeError('column outcome holds no outcome')
  return outcome
}
