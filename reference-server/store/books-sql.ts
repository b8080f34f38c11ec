/**
 * Usage by hour of the account `?1` from the moment `?2` on. Entries are numbered as they come, so it looks only at those
 * after the last one before that moment, which it finds from the newest on. Both databases understand it, except for how
 * they mark values.
 */
export const usageByHourSql = `SELECT key_id, model, at / 3600000 AS hour, count(*) AS requests,
    CAST(sum(prompt_tokens) AS BIGINT) AS prompt_tokens, CAST(sum(completion_tokens) AS BIGINT) AS completion_tokens,
    CAST(-sum(usd) AS BIGINT) AS usd
  FROM entries
  WHERE account_id = ?1 AND kind = 'charge' AND at >= ?2 AND number > coalesce((
    SELECT number FROM entries WHERE account_id = ?1 AND at < ?2 ORDER BY number DESC LIMIT 1), 0)
  GROUP BY at / 3600000, key_id, model ORDER BY hour DESC, key_id, model`
