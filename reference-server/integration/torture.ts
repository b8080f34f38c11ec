import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { killRounds } from './kill-rounds.ts'
import { Missing, type Server, startPostgres } from './machine.ts'

/** `npm run torture [KILLS]`: kills a gateway on each store, 50 times by default, and compares its books with what clients saw. */
async function torture(name: string, store: string, kills: number): Promise<boolean> {
  const { complete, charges, wrong } = await killRounds(store, kills)
  process.stdout.write(
    `${name}: ${kills} kills, ${complete} whole replies, ${charges} charges, ${wrong.length} failures\n`,
  )
  for (const one of wrong) process.stdout.write(`  ${one}\n`)
  return wrong.length === 0
}

const kills = Number(process.argv[2] ?? 50)
const folder = mkdtempSync(join(tmpdir(), 'assay-torture-'))
let postgres: Server | undefined
try {
  const embedded = await torture('embedded store', `sqlite:${join(folder, 'books.sqlite')}`, kills)
  postgres = await startPostgres()
  const server = await torture('PostgreSQL', postgres.url, kills)
  process.exitCode = embedded && server ? 0 : 1
} catch (error) {
  if (!(error instanceof Missing)) throw error
  process.stderr.write(`${error.message}\n`)
  process.exitCode = 2
} finally {
  await postgres?.stop()
  rmSync(folder, { recursive: true, force: true })
}
