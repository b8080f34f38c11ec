import { expect, onTestFinished, test } from 'vitest'
import { killRounds } from './kill-rounds.ts'
import { newDatabase } from './new-database.ts'

test('the embedded store keeps its books through kill -9 under load', async () => {
  const { wrong, complete, charges } = await killRounds(`sqlite:${newDatabase(onTestFinished)}`, 5)
  expect(wrong).toEqual([])
  expect(complete).toBeGreaterThan(50)
  expect(charges).toBeGreaterThanOrEqual(complete)
})
