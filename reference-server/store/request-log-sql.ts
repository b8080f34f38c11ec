import type { PicoUsd } from '../ledger/money.ts'
import { type BookedRequest, type Outcome, outcomes, type RequestLog, requestIdAt } from './request-log.ts'
import { integer, number, optionalNumber, optionalText, type Row, text } from './rows.ts'

/** Statements that both databases understand, except for how they mark values and open a list in JSON. */
export const requestLogSql = {
  /** A whole batch as one value: between threads and over the network it costs little more than one request. */
  logRequests: `INSERT INTO requests (id, at, account_id, key_id, model, outcome, status, code, first_token_ms, duration_ms)
    SELECT value ->> 0, CAST(value ->> 1 AS BIGINT), value ->> 2, value ->> 3, value ->> 4, value ->> 5,
      CAST(value ->> 6 AS BIGINT), value ->> 7, CAST(value ->> 8 AS BIGINT), CAST(value ->> 9 AS BIGINT)
    FROM json_each(?1)`,
  requests: `SELECT requests.*, prompt_tokens, completion_tokens, usd
    FROM requests LEFT JOIN entries ON entries.request_id = requests.id
    WHERE requests.account_id = ?1 AND requests.id < ?2
      AND (CAST(?3 AS TEXT) IS NULL OR requests.id = ?3) AND (CAST(?4 AS TEXT) IS NULL OR requests.key_id = ?4)
      AND (CAST(?5 AS TEXT) IS NULL OR requests.model = ?5) AND (CAST(?6 AS TEXT) IS NULL OR requests.outcome = ?6)
    ORDER BY requests.id DESC LIMIT ?7`,
  forgetRequests: 'DELETE FROM requests WHERE id < ?1',
} as const

type Statement = keyof typeof requestLogSql

/** After every id. */
const last = 'z'

/** The request log of a database that runs these statements. */
export function requestLogOf(
  run: (name: Statement, ...values: readonly (string | number | null)[]) => Promise<readonly Row[]>,
): RequestLog {
  return {
    async logRequests(requests) {
      const rows = requests.map(
        ({ id, at, accountId, keyId, model, outcome, status, code, firstTokenMs, durationMs }) => [
          id,
          at,
          accountId,
          keyId,
          model,
          outcome,
          status,
          code,
          firstTokenMs,
          durationMs,
        ],
      )
      await run('logRequests', JSON.stringify(rows))
    },
    async requests(accountId, { id = null, keyId = null, model = null, outcome = null }, before = last, limit) {
      const rows = await run('requests', accountId, before, id, keyId, model, outcome, limit)
      return rows.map(requestOf)
    },
    async forgetRequests(before) {
      await run('forgetRequests', requestIdAt(before))
    },
  }
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
