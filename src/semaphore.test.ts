import { expect, test } from 'vitest'
import { createRankedSemaphore, createSemaphore } from './semaphore.ts'

test('places are taken in turn', async () => {
  const enter = createSemaphore(1)
  const order: string[] = []
  const visit = async (name: string): Promise<void> => {
    const leave = await enter()
    order.push(name)
    leave()
  }
  await Promise.all(['a', 'b', 'c'].map(visit))
  expect(order).toEqual(['a', 'b', 'c'])
})

test('ranked places go to the lowest rank that waits, and there in turn', async () => {
  const enter = createRankedSemaphore(2)
  const order: string[] = []
  let inside = 0
  let most = 0
  const visit = async (name: string, rank: number): Promise<void> => {
    const leave = await enter(rank)
    order.push(name)
    inside += 1
    most = Math.max(most, inside)
    await Promise.resolve()
    inside -= 1
    leave()
  }
  await Promise.all([visit('odd', 2), visit('main 1', 1), visit('main 2', 1), visit('early', 0)])
  expect(order).toEqual(['early', 'main 1', 'main 2', 'odd'])
  expect(most).toBe(2)
})
