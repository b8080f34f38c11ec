export const insertAccountSql = 'INSERT INTO accounts (id, name, balance, created_at) VALUES ($1, $2, 0, $3)'

export const accountSql = 'SELECT * FROM accounts WHERE id = $1 AND closed_at IS NULL'

export const closeAccountSql = 'UPDATE accounts SET closed_at = $2 WHERE id = $1 AND closed_at IS NULL RETURNING id'

export const deleteKeysOfSql =
  'UPDATE keys SET deleted_at = $2 WHERE account_id = $1 AND deleted_at IS NULL RETURNING id'

/** Moves the balance and writes the entry, or does nothing where there is no such account. */
export const creditSql = `WITH paid AS (
    UPDATE accounts SET balance = balance + $2, entries = entries + 1 WHERE id = $1 AND closed_at IS NULL
      RETURNING id, entries)
  INSERT INTO entries (account_id, number, at, kind, amount, usd, rate)
    SELECT id, entries, $3, 'credit', $2, $4, $5 FROM paid RETURNING number`

export const insertKeySql = `INSERT INTO keys (id, account_id, name, hash, requests_per_minute, tokens_per_minute, created_at)
  SELECT $1, id, $3, $4, $5, $6, $7 FROM accounts WHERE id = $2 AND closed_at IS NULL RETURNING id`

export const keySql = 'SELECT * FROM keys WHERE id = $1 AND deleted_at IS NULL'

export const changeKeySql = `UPDATE keys SET name = $2, requests_per_minute = $3, tokens_per_minute = $4
  WHERE id = $1 AND deleted_at IS NULL RETURNING id`

export const deleteKeySql = 'UPDATE keys SET deleted_at = $2 WHERE id = $1 AND deleted_at IS NULL RETURNING id'

export const keysOfSql = 'SELECT * FROM keys WHERE account_id = $1 AND deleted_at IS NULL ORDER BY created_at'

export const entriesSql = 'SELECT * FROM entries WHERE account_id = $1 AND number > $2 ORDER BY number LIMIT $3'
