import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { killRounds } from './kill-rounds.ts'

test('the embedded store keeps its books through kill -9 under load', async () => {
  const file = join(mkdtempSync(join(tmpdir(), 'assay-kill-')), 'books.sqlite')
  const { wrong, complete, charges } = await killRounds(`sqlite:${file}`, 5)
  expect(wrong).toEqual([])
  expect(complete).toBeGreaterThan(50)
  expect(charges).toBeGreaterThanOrEqual(complete)
})
