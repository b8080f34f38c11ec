import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { systemClock } from '../clock.ts'
import { loadSqlite } from './embedded/sqlite.ts'
import { migrations } from './migrations.ts'
import { openStore } from './open-store.ts'
import { expectedOfRequestLog, useRequestLog } from './request-log-model.ts'

const folder = mkdtempSync(join(tmpdir(), 'assay-log-'))
afterAll(() => rmSync(folder, { recursive: true }))

test.each(['memory', `sqlite:${join(folder, 'books.sqlite')}`])(
  'requests are found in %s by what they are',
  async (location) => {
    const store = await openStore(location, systemClock)
    expect(await useRequestLog(store)).toEqual(expectedOfRequestLog)
    await store.close()
  },
)

test('requests that were logged before the table became narrow are still found', async () => {
  const file = join(folder, 'older.sqlite')
  const { DatabaseSync } = loadSqlite()
  const database = new DatabaseSync(file)
  database.exec('CREATE TABLE migrations (id TEXT PRIMARY KEY)')
  for (const { id, only, statements } of migrations) {
    if (only === 'postgres' || id >= '0005') continue
    for (const statement of statements) database.exec(statement)
    database.prepare('INSERT INTO migrations (id) VALUES (?)').run(id)
  }
  database.exec(`INSERT INTO requests VALUES ('req_1', 5, 'acc_1', 'k', 'small', 'refused', 429, 'code', NULL, 20)`)
  database.close()
  const store = await openStore(`sqlite:${file}`, systemClock)
  expect(await store.requests('acc_1', {}, undefined, 10)).toEqual([
    {
      ...{ id: 'req_1', at: 5, accountId: 'acc_1', keyId: 'k', model: 'small' },
      ...{ outcome: 'refused', status: 429, code: 'code', durationMs: 20 },
    },
  ])
  await store.close()
})
