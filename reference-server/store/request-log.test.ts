import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { systemClock } from '../clock.ts'
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
