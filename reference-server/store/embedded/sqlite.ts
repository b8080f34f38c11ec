import type { DatabaseSync } from 'node:sqlite'

type Sqlite = { readonly DatabaseSync: typeof DatabaseSync }

/** Node's own SQLite. Node 22 calls it experimental in a warning, which tells a user of the gateway nothing. */
export function loadSqlite(): Sqlite {
  const { emitWarning } = process
  process.emitWarning = () => {}
  try {
    return process.getBuiltinModule('node:sqlite')
  } finally {
    process.emitWarning = emitWarning
  }
}
