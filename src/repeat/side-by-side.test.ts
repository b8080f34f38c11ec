import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { sideBySide } from './side-by-side.ts'

test('four values are looked at side by side, and no more', async () => {
  let underWay = 0
  let most = 0
  await sideBySide([1, 2, 3, 4, 5, 6], async () => {
    underWay += 1
    most = Math.max(most, underWay)
    await sleep(1)
    underWay -= 1
  })
  expect(most).toBe(4)
})

test('the first value that is wrong is told, whichever answer came first, and no further ones are looked at', async () => {
  const seen: number[] = []
  const look = async (value: number): Promise<void> => {
    seen.push(value)
    await sleep(value === 2 ? 5 : 1)
    if (value === 2 || value === 3) throw new Error(`${value} is wrong`)
  }
  await expect(sideBySide([1, 2, 3, 4, 5], look)).rejects.toThrow('2 is wrong')
  expect(seen).toEqual([1, 2, 3, 4])
})
