import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { nearMisses } from './near-misses.ts'

const keys = ['sk-assay-Q7mB2vXt0Lr9ZkPd', 'SK-ASSAY-Q7MB2', 'x'.repeat(16), '123456789012']

test.each(keys)('a shell makes each near miss of %s from the variable', (key) => {
  const misses = nearMisses(key, 'THE_KEY')
  const shapes = misses.map(({ shape }) => `"${shape}"`).join(' ')
  const made = execFileSync('bash', ['-c', `printf '%s\\n' ${shapes}`], { env: { ...process.env, THE_KEY: key } })
  expect(made.toString().trimEnd().split('\n')).toEqual(misses.map(({ value }) => value))
})

test.each(keys)('no near miss is %s itself, and no shape or word holds a piece of it', (key) => {
  const misses = nearMisses(key, 'THE_KEY')
  expect(misses.length).toBeGreaterThanOrEqual(8)
  expect(misses.map(({ value }) => value)).not.toContain(key)
  const pieces = Array.from({ length: key.length - 5 }, (_, at) => key.slice(at, at + 6))
  for (const { shape, words } of misses) expect(pieces.filter((piece) => (shape + words).includes(piece))).toEqual([])
})

test('a key without letters, or of capitals only, has no near miss that differs in case alone', () => {
  const words = (key: string) => nearMisses(key, 'THE_KEY').map((miss) => miss.words)
  expect(words('123456789012')).not.toContain('in capitals')
  expect(words('SK-ASSAY-Q7MB2')).not.toContain('in capitals')
  expect(words('SK-ASSAY-Q7MB2')).toContain('with its last letter in the other case')
})
