import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** The path of a SQLite database of its own, in a folder that is removed when it is over. */
export function newDatabase(whenOver: (remove: () => void) => void): string {
  const folder = mkdtempSync(join(tmpdir(), 'assay-books-'))
  whenOver(() => rmSync(folder, { recursive: true, force: true }))
  return join(folder, 'books.sqlite')
}
