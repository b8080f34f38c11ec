export interface Migration {
  readonly id: string
  /** Statements that SQLite and PostgreSQL both understand. */
  readonly statements: readonly string[]
  /** What only one of them needs, or each of them in its own way. */
  readonly only?: 'sqlite' | 'postgres'
}

/** Applied once each, in this order. A released migration is never changed. */
export const migrations: readonly Migration[] = [
  {
    id: '0001-accounts-keys-entries',
    statements: [
      `CREATE TABLE accounts (
        id TEXT PRIMARY KEY,
        name TEXT NOT NULL,
        balance BIGINT NOT NULL CHECK (balance >= 0),
        held BIGINT NOT NULL DEFAULT 0 CHECK (held >= 0),
        entries BIGINT NOT NULL DEFAULT 0,
        created_at BIGINT NOT NULL,
        closed_at BIGINT)`,
      `CREATE TABLE keys (
        id TEXT PRIMARY KEY,
        account_id TEXT NOT NULL REFERENCES accounts (id),
        name TEXT NOT NULL,
        hash TEXT NOT NULL UNIQUE,
        requests_per_minute BIGINT,
        tokens_per_minute BIGINT,
        created_at BIGINT NOT NULL,
        deleted_at BIGINT)`,
      'CREATE INDEX keys_of_account ON keys (account_id)',
      `CREATE TABLE entries (
        account_id TEXT NOT NULL REFERENCES accounts (id),
        number BIGINT NOT NULL,
        at BIGINT NOT NULL,
        kind TEXT NOT NULL CHECK (kind IN ('credit', 'charge')),
        request_id TEXT UNIQUE,
        key_id TEXT,
        model TEXT,
        prompt_tokens BIGINT,
        completion_tokens BIGINT,
        amount BIGINT NOT NULL,
        usd BIGINT NOT NULL,
        rate BIGINT NOT NULL,
        PRIMARY KEY (account_id, number))`,
      `CREATE TABLE usage_days (
        key_id TEXT NOT NULL,
        model TEXT NOT NULL,
        day TEXT NOT NULL,
        account_id TEXT NOT NULL,
        requests BIGINT NOT NULL,
        prompt_tokens BIGINT NOT NULL,
        completion_tokens BIGINT NOT NULL,
        usd BIGINT NOT NULL,
        PRIMARY KEY (key_id, model, day))`,
      'CREATE INDEX usage_of_account ON usage_days (account_id)',
    ],
  },
  {
    id: '0002-holds-replicas',
    only: 'postgres',
    statements: [
      `CREATE TABLE holds (
        request_id TEXT PRIMARY KEY,
        account_id TEXT NOT NULL REFERENCES accounts (id),
        amount BIGINT NOT NULL,
        replica_id TEXT NOT NULL)`,
      'CREATE INDEX holds_of_replica ON holds (replica_id)',
      `CREATE TABLE replicas (
        id TEXT PRIMARY KEY,
        lease_until TIMESTAMPTZ NOT NULL,
        seen_change BIGINT NOT NULL)`,
      `CREATE TABLE key_changes (
        number BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        key_id TEXT NOT NULL,
        at TIMESTAMPTZ NOT NULL DEFAULT now())`,
    ],
  },
  {
    id: '0003-people-sessions',
    statements: [
      `CREATE TABLE people (
        email TEXT PRIMARY KEY,
        account_id TEXT NOT NULL UNIQUE REFERENCES accounts (id),
        password_hash TEXT NOT NULL,
        created_at BIGINT NOT NULL)`,
      `CREATE TABLE sessions (
        token_hash TEXT PRIMARY KEY,
        email TEXT,
        expires_at BIGINT NOT NULL)`,
    ],
  },
  {
    id: '0004-requests',
    statements: [
      `CREATE TABLE requests (
        id TEXT PRIMARY KEY,
        at BIGINT NOT NULL,
        account_id TEXT NOT NULL,
        key_id TEXT NOT NULL,
        model TEXT,
        outcome TEXT NOT NULL,
        status BIGINT NOT NULL,
        code TEXT,
        first_token_ms BIGINT,
        duration_ms BIGINT NOT NULL)`,
      // It holds what requests are filtered by, so that a rare kind is found without reading the table.
      'CREATE INDEX requests_of_account ON requests (account_id, id, key_id, model, outcome)',
    ],
  },
  {
    // One tree instead of three: a request that is logged costs the books' thread a third.
    id: '0005-requests-narrow',
    only: 'sqlite',
    statements: [
      `CREATE TABLE narrow_requests (
        account_id TEXT NOT NULL,
        id TEXT NOT NULL,
        at BIGINT NOT NULL,
        key_id TEXT NOT NULL,
        model TEXT,
        outcome TEXT NOT NULL,
        status BIGINT NOT NULL,
        code TEXT,
        first_token_ms BIGINT,
        duration_ms BIGINT NOT NULL,
        PRIMARY KEY (account_id, id)) WITHOUT ROWID`,
      `INSERT INTO narrow_requests SELECT account_id, id, at, key_id, model, outcome, status, code, first_token_ms,
        duration_ms FROM requests`,
      'DROP TABLE requests',
      'ALTER TABLE narrow_requests RENAME TO requests',
    ],
  },
  {
    id: '0005-requests-narrow-postgres',
    only: 'postgres',
    statements: [
      'DROP INDEX requests_of_account',
      'ALTER TABLE requests DROP CONSTRAINT requests_pkey',
      'ALTER TABLE requests ADD PRIMARY KEY (account_id, id)',
    ],
  },
]
