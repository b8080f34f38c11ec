import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

/** The path of a SQLite database of its own, in a folder that is removed when the test ends. */
export function newDatabase(): string {
  const folder = mkdtempSync(join(tmpdir(), 'assay-books-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return join(folder, 'books.sqlite')
}
