import type { DatabaseSync } from 'node:sqlite'

type Sqlite = { readonly DatabaseSync: typeof DatabaseSync }

/** Node's own SQLite, without Node 22's warning that it is experimental, which would tell users nothing. */
export function loadSqlite(): Sqlite {
  const { emitWarning } = process
  process.emitWarning = () => {}
  try {
    return process.getBuiltinModule('node:sqlite')
  } finally {
    process.emitWarning = emitWarning
  }
}
