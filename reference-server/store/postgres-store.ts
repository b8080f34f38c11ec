import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '../clock.ts'
import { dayOf } from '../ledger/day.ts'
import { amount } from '../ledger/money.ts'
import { randomId } from '../random-id.ts'
import { peopleOf, peopleSql } from './people.ts'
import { openPostgres, type Query } from './postgres.ts'
import { joinReplicas } from './replica.ts'
import { dayUsageOf, entryOf, integer, keyOf, number, type Row, text, usageOf } from './rows.ts'
import { type Account, type KeyRecord, type Store, StoreUnavailable, type Sum } from './store.ts'

/** The store of any number of replicas: money and holds are rows, keys are in every replica's memory. */
export async function postgresStore(url: string, clock: Clock): Promise<Store> {
  const postgres = await openPostgres(url)
  const { query, transaction } = postgres
  const keys = new Map<string, KeyRecord>()
  const hashes = new Map<string, string>()

  function remember(row: Row): void {
    const key = keyOf(row)
    keys.set(key.hash, key)
    hashes.set(key.id, key.hash)
  }
  function forget(keyId: string): void {
    keys.delete(hashes.get(keyId) ?? '')
    hashes.delete(keyId)
  }
  const replica = await joinReplicas(postgres, clock, {
    reset(rows) {
      keys.clear()
      hashes.clear()
      for (const row of rows) remember(row)
    },
    update(row) {
      if (row['deleted_at'] === null) remember(row)
      else forget(text(row, 'id'))
    },
  }).catch(async (error: unknown) => {
    await postgres.close()
    throw error
  })

  /** Whether this call has charged the request. Its own earlier attempt, whose answer was lost, may have done so. */
  async function chargeOnce(requestId: string, values: readonly unknown[], attempt: number): Promise<boolean> {
    const charged = await query(chargeSql, values)
    if (charged.length > 0 || attempt === 1) return charged.length > 0
    return (await query('SELECT number FROM entries WHERE request_id = $1', [requestId])).length > 0
  }

  return {
    async openAccount(name, credit) {
      const id = randomId('acc_')
      const at = clock.unixMs()
      await transaction(async (inside) => {
        await inside('INSERT INTO accounts (id, name, balance, created_at) VALUES ($1, $2, 0, $3)', [id, name, at])
        if (credit.amount > 0n) await insertCredit(inside, id, at, credit)
      })
      return { id, name, balance: credit.amount, held: amount(0) }
    },
    async account(id) {
      const [row] = await query('SELECT * FROM accounts WHERE id = $1 AND closed_at IS NULL', [id])
      return row && accountOf(row)
    },
    async closeAccount(id) {
      const at = clock.unixMs()
      const closed = await transaction(async (inside) => {
        const rows = await inside(
          'UPDATE accounts SET closed_at = $2 WHERE id = $1 AND closed_at IS NULL RETURNING id',
          [id, at],
        )
        const deleted = await inside(
          'UPDATE keys SET deleted_at = $2 WHERE account_id = $1 AND deleted_at IS NULL RETURNING id',
          [id, at],
        )
        for (const row of deleted) await replica.noteChange(inside, text(row, 'id'))
        return rows.length > 0
      })
      if (closed) await replica.acknowledgedByAll()
      return closed
    },
    async credit(accountId, credit) {
      const at = clock.unixMs()
      const entry = await transaction((inside) => insertCredit(inside, accountId, at, credit))
      return entry && { kind: 'credit', accountId, number: number(entry, 'number'), at, ...credit }
    },

    async addKey(key) {
      const added = await transaction(async (inside) => {
        const rows = await inside(
          `INSERT INTO keys (id, account_id, name, hash, requests_per_minute, tokens_per_minute, created_at)
            SELECT $1, id, $3, $4, $5, $6, $7 FROM accounts WHERE id = $2 AND closed_at IS NULL RETURNING id`,
          [
            key.id,
            key.accountId,
            key.name,
            key.hash,
            key.requestsPerMinute ?? null,
            key.tokensPerMinute ?? null,
            key.createdAt,
          ],
        )
        if (rows.length > 0) await replica.noteChange(inside, key.id)
        return rows.length > 0
      })
      if (added) await replica.acknowledgedByAll()
      return added
    },
    findKey(hash) {
      replica.id()
      return keys.get(hash)
    },
    async keysOf(accountId) {
      const rows = await query('SELECT * FROM keys WHERE account_id = $1 AND deleted_at IS NULL ORDER BY created_at', [
        accountId,
      ])
      return rows.map(keyOf)
    },
    async deleteKey(id) {
      const deleted = await transaction(async (inside) => {
        const rows = await inside('UPDATE keys SET deleted_at = $2 WHERE id = $1 AND deleted_at IS NULL RETURNING id', [
          id,
          clock.unixMs(),
        ])
        if (rows.length > 0) await replica.noteChange(inside, id)
        return rows.length > 0
      })
      if (deleted) await replica.acknowledgedByAll()
      return deleted
    },

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
      if (charge.amount > hold.amount) throw new RangeError('a charge can not be larger than its hold')
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
      throw new Error(`request ${hold.requestId} has ended before`)
    },
    async release(hold) {
      await persist(() => query(releaseSql, [hold.requestId]))
    },

    async entries(accountId, after, limit) {
      const rows = await query('SELECT * FROM entries WHERE account_id = $1 AND number > $2 ORDER BY number LIMIT $3', [
        accountId,
        after,
        limit,
      ])
      return rows.map(entryOf)
    },
    async entriesBefore(accountId, before, limit) {
      const rows = await query(
        'SELECT * FROM entries WHERE account_id = $1 AND number < $2 ORDER BY number DESC LIMIT $3',
        [accountId, before, limit],
      )
      return rows.map(entryOf)
    },
    async keyUsage(keyId) {
      const [row] = await query(
        `SELECT coalesce(sum(requests), 0)::bigint AS requests, coalesce(sum(prompt_tokens), 0)::bigint AS prompt_tokens,
          coalesce(sum(completion_tokens), 0)::bigint AS completion_tokens, coalesce(sum(usd), 0)::bigint AS usd
        FROM keys LEFT JOIN usage_days ON key_id = id WHERE id = $1 GROUP BY id`,
        [keyId],
      )
      return row && usageOf(row)
    },
    async usageByDay(accountId) {
      const rows = await query('SELECT * FROM usage_days WHERE account_id = $1 ORDER BY day DESC, key_id, model', [
        accountId,
      ])
      return rows.map(dayUsageOf)
    },
    ...peopleOf((name, ...values) => query(numbered[name], values)),
    async close() {
      await replica.close()
      await postgres.close()
    },
  }
}

/** PostgreSQL counts the values of a statement. */
const numbered = Object.fromEntries(
  Object.entries(peopleSql).map(([name, sql]) => {
    let count = 0
    return [name, sql.replaceAll('?', () => `$${++count}`)]
  }),
) as typeof peopleSql

/** One statement, one commit: the hold ends, the balance moves, the entry and the usage are written, or nothing is. */
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

/** Ends of requests are worth several attempts: a lost connection must neither lose a charge nor leave a hold. */
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

async function insertCredit(query: Query, accountId: string, at: number, { amount: sum, usd, rate }: Sum) {
  const [row] = await query(
    `WITH paid AS (
      UPDATE accounts SET balance = balance + $2, entries = entries + 1 WHERE id = $1 AND closed_at IS NULL
        RETURNING id, entries)
    INSERT INTO entries (account_id, number, at, kind, amount, usd, rate)
      SELECT id, entries, $3, 'credit', $2, $4, $5 FROM paid RETURNING number`,
    [accountId, sum, at, usd, rate],
  )
  return row
}

function accountOf(row: Row): Account {
  return {
    id: text(row, 'id'),
    name: text(row, 'name'),
    balance: amount(integer(row, 'balance')),
    held: amount(integer(row, 'held')),
  }
}
