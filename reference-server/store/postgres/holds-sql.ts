/** Whether the replica has its lease, and whether the account could pay: two answers, so that none is taken for the other. */
export const holdSql = `WITH lease AS (SELECT 1 FROM replicas WHERE id = $4 AND lease_until > now()),
  paid AS (
    UPDATE accounts SET held = held + $2 WHERE id = $1 AND closed_at IS NULL AND balance - held >= $2
      AND EXISTS (SELECT 1 FROM lease) RETURNING id),
  made AS (
    INSERT INTO holds (request_id, account_id, amount, replica_id) SELECT $3, id, $2, $4 FROM paid RETURNING request_id)
  SELECT EXISTS (SELECT 1 FROM lease) AS is_leased, EXISTS (SELECT 1 FROM made) AS is_held`

/** An empty hold, which goes with its replica. It waits for a hold of the same request that is not yet committed. */
export const placeSql = `INSERT INTO holds (request_id, account_id, amount, replica_id) VALUES ($1, $2, 0, $3)
  ON CONFLICT DO NOTHING RETURNING request_id`

export const chargedSql = 'SELECT number FROM entries WHERE request_id = $1'

/** One statement, one commit: the hold ends, the balance moves, and entry and usage are written, or nothing happens. */
export const chargeSql = `WITH ended AS (DELETE FROM holds WHERE request_id = $1 RETURNING account_id, amount),
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

export const releaseSql = `WITH ended AS (DELETE FROM holds WHERE request_id = $1 RETURNING account_id, amount)
  UPDATE accounts SET held = held - ended.amount FROM ended WHERE id = ended.account_id RETURNING id`

/** Credits the charge of request $1 back, once, under the name $2, and takes it out of the usage. */
export const undoSql = `WITH charged AS (
    SELECT * FROM entries WHERE request_id = $1 AND NOT EXISTS (SELECT 1 FROM entries WHERE request_id = $2)),
  paid AS (
    UPDATE accounts SET balance = balance - charged.amount, entries = accounts.entries + 1
      FROM charged WHERE id = account_id RETURNING id, accounts.entries),
  unused AS (
    UPDATE usage_days SET requests = requests - 1, prompt_tokens = usage_days.prompt_tokens - charged.prompt_tokens,
        completion_tokens = usage_days.completion_tokens - charged.completion_tokens, usd = usage_days.usd + charged.usd
      FROM charged WHERE usage_days.key_id = charged.key_id AND usage_days.model = charged.model
        AND day = to_char(to_timestamp(charged.at / 1000) AT TIME ZONE 'UTC', 'YYYY-MM-DD'))
  INSERT INTO entries (account_id, number, at, kind, request_id, amount, usd, rate)
    SELECT id, paid.entries, $3, 'credit', $2, -charged.amount, -charged.usd, charged.rate FROM paid, charged`
