import { expect, test } from 'vitest'
import type { Call } from '../gateway/seams.ts'
import type { KeyRecord } from '../store/store.ts'
import { keyPasses } from './passes.ts'

const key: KeyRecord = { id: 'play', accountId: 'a', name: 'Playground', hash: '', createdAt: 1 }
const stored: KeyRecord = { ...key, id: 'stored' }

test('a pass stands for its key once, and other keys are looked up as ever', () => {
  const { issue, wrap } = keyPasses()
  const find = wrap.findKey?.((presented) => (presented === 'sk-stored' ? stored : undefined))
  const pass = issue(key)
  const found = ['sk-stored', `${pass}x`, pass, pass].map((presented) => find?.(presented, {} as Call)?.id)
  expect(found).toEqual(['stored', undefined, 'play', undefined])
})
