import { expect, test } from 'vitest'
import { closeAll, openOrClose } from './closers.ts'

test('a part that cannot be closed keeps no other open', async () => {
  const closed: string[] = []
  const fails = (name: string) => async () => {
    closed.push(name)
    throw new Error(`${name} is gone`)
  }
  const closers = [() => closed.push('books'), fails('limits'), fails('log'), () => closed.push('port')]
  await expect(closeAll(closers)).rejects.toThrow('log is gone')
  expect(closed).toEqual(['port', 'log', 'limits', 'books'])
})

test('what was closed is not closed again', async () => {
  let count = 0
  const closers = [() => (count += 1)]
  await closeAll(closers)
  await closeAll(closers)
  expect(count).toBe(1)
})

test('what fails to open throws its own error, even where a part of it cannot be closed', async () => {
  const bugs: unknown[] = []
  const closed: string[] = []
  const opening = openOrClose(
    async (closers) => {
      closers.push(
        () => closed.push('books'),
        () => Promise.reject(new Error('the log is gone')),
      )
      throw new Error('the port is taken')
    },
    (error) => bugs.push(error),
  )
  await expect(opening).rejects.toThrow('the port is taken')
  expect(closed).toEqual(['books'])
  expect(bugs).toEqual([new Error('the log is gone')])
})
