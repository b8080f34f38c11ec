import { expect, test } from 'vitest'
import { costOf, pricePerToken } from '../../ledger/money.ts'
import { loadAssets } from '../assets.ts'
import type { KeyRow } from '../key-row.ts'
import { keysPage } from './keys.ts'
import { renderPage, rowsAPage } from './layout.ts'

const frame = { root: '/dashboard', assets: loadAssets('/dashboard/assets'), csrf: 'x'.repeat(60), path: '/keys' }
const rows: readonly KeyRow[] = Array.from({ length: rowsAPage }, (_, at) => ({
  key: {
    id: `key_0123456789abcdef${at}`,
    accountId: 'acct_0123456789abcdef',
    name: `The key of program number ${at} & co`,
    hash: '',
    createdAt: Date.UTC(2026, 0, 31),
    requestsPerMinute: 123_456,
    tokensPerMinute: 12_345_678,
  },
  usage: {
    requests: 123_456,
    promptTokens: 1_234_567,
    completionTokens: 7_654_321,
    usd: costOf(123_457, pricePerToken(1)),
  },
  lastUsed: '2026-01-31',
}))

test('a page of many keys stays small, and links to those before and after it', () => {
  const page = renderPage(frame, keysPage(frame, { rows, from: rowsAPage, total: 1000 }))
  expect(Buffer.byteLength(page)).toBeLessThan(30_000)
  expect(page).toContain(`href="/dashboard/keys?from=0">Newer`)
  expect(page).toContain(`href="/dashboard/keys?from=${2 * rowsAPage}">Older`)
})

test('the last page leads to no older one, and one page to none', () => {
  const last = renderPage(frame, keysPage(frame, { rows, from: 980, total: 1000 }))
  expect(last).not.toContain('Older')
  expect(renderPage(frame, keysPage(frame, { rows, from: 0, total: rowsAPage }))).not.toContain('aria-label="Pages"')
})

test('after the last key it says so, and not that there are none', () => {
  const after = renderPage(frame, keysPage(frame, { rows: [], from: 2000, total: 1000 }))
  expect(after).toContain('There are no keys here')
  expect(after).toContain('Newer')
  expect(renderPage(frame, keysPage(frame, { rows: [], from: 0, total: 0 }))).toContain('You have no keys yet')
})
