import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '../../clock.ts'
import { dayOf } from '../../ledger/day.ts'
import { type Holds, StoreUnavailable } from '../store.ts'
import type { Postgres } from './postgres.ts'
import type { Replica } from './replica.ts'

export function postgresHolds({ query }: Postgres, clock: Clock, replica: Replica): Holds {
  /** Whether this call has charged the request, perhaps by an earlier attempt whose answer was lost. */
  async function chargeOnce(requestId: string, values: readonly unknown[], attempt: number): Promise<boolean> {
    const charged = await query(chargeSql, values)
    if (charged.length > 0 || attempt === 1) return charged.length > 0
    return (await query('SELECT number FROM entries WHERE request_id = $1', [requestId])).length > 0
  }

  return {
    async hold(requestId, accountId, sum) {
      const rows = await query(
        `WITH held AS (
          UPDATE accounts SET held = held + $2 WHERE id = $1 AND closed_at IS NULL AND balance - held >= $2
            AND EXISTS (SELECT 1 FROM replicas WHERE id = $4 AND lease_until > now()) RETURNING id)
        INSERT INTO holds (request_id, account_id, amount, replica_id) SELECT $3, id, $2, $4 FROM held
          RETURNING request_id`,
        [accountId, sum, requestId, replica.id()],
      )
      return rows.length === 0 ? undefined : { requestId, accountId, amount: sum }
    },
    async charge(hold, charge) {
      if (charge.amount > hold.amount) throw new RangeError('a charge cannot be larger than its hold')
      const at = clock.unixMs()
      const values = [
        hold.requestId,
        charge.amount,
        at,
        charge.keyId,
        charge.model,
        charge.promptTokens,
        charge.completionTokens,
        charge.usd,
        charge.rate,
        dayOf(at),
      ]
      if (await persist((attempt) => chargeOnce(hold.requestId, values, attempt))) return
      throw new Error(`request ${hold.requestId} has already ended`)
    },
    async release(hold) {
      await persist(() => query(releaseSql, [hold.requestId]))
    },
  }
}

/** One statement, one commit: the hold ends, the balance moves, and entry and usage are written, or nothing happens. */
const chargeSql = `WITH ended AS (DELETE FROM holds WHERE request_id = $1 RETURNING account_id, amount),
  paid AS (
    UPDATE accounts SET balance = balance - $2::bigint, held = held - ended.amount, entries = entries + 1
      FROM ended WHERE id = ended.account_id RETURNING id, entries),
  used AS (
    INSERT INTO usage_days (key_id, model, day, account_id, requests, prompt_tokens, completion_tokens, usd)
      SELECT $4, $5, $10, id, 1, $6::bigint, $7::bigint, $8::bigint FROM paid
      ON CONFLICT (key_id, model, day) DO UPDATE SET requests = usage_days.requests + 1,
        prompt_tokens = usage_days.prompt_tokens + excluded.prompt_tokens,
        completion_tokens = usage_days.completion_tokens + excluded.completion_tokens,
        usd = usage_days.usd + excluded.usd)
  INSERT INTO entries (account_id, number, at, kind, request_id, key_id, model, prompt_tokens, completion_tokens,
      amount, usd, rate)
    SELECT id, entries, $3, 'charge', $1, $4, $5, $6::bigint, $7::bigint, -$2::bigint, -$8::bigint, $9 FROM paid
    RETURNING number`

const releaseSql = `WITH ended AS (DELETE FROM holds WHERE request_id = $1 RETURNING account_id, amount)
  UPDATE accounts SET held = held - ended.amount FROM ended WHERE id = ended.account_id`

const ATTEMPTS_MAX = 5
const PAUSE_MS = 100

/** Ending a request is worth several attempts: a lost connection must neither lose a charge nor leave a hold. */
async function persist<T>(work: (attempt: number) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work(attempt)
    } catch (error) {
      if (attempt === ATTEMPTS_MAX) throw new StoreUnavailable('the database does not answer', { cause: error })
      await sleep(PAUSE_MS * attempt)
    }
  }
}
