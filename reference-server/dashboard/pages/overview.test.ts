import { expect, test } from 'vitest'
import { amount, parseRate, parseUsd } from '../../ledger/money.ts'
import type { DayUsage } from '../../store/store.ts'
import { loadAssets } from '../assets.ts'
import { overviewPage } from './overview.ts'

const frame = { root: '/dashboard', assets: loadAssets('/dashboard/assets'), csrf: 'x'.repeat(60), path: '' }
const nowMs = Date.UTC(2026, 0, 31)

function pageOf(balanceUsd: string, spentUsd: string, day = '2026-01-31'): string {
  const [balance, rate, usd] = [parseUsd(balanceUsd), parseRate('1'), parseUsd(spentUsd)]
  if (balance === undefined || rate === undefined || usd === undefined) throw new Error('the sums are not understood')
  const account = { id: 'a', name: 'a', balance: amount(balance), held: amount(0n) }
  const used: DayUsage = { keyId: 'k', model: 'small', day, requests: 1, promptTokens: 1, completionTokens: 1, usd }
  return overviewPage(frame, { account, rate, keys: 1, usage: [used], names: new Map(), nowMs }).body.text
}

test('a balance that the pace of the last days uses up soon is pointed out', () => {
  expect(pageOf('1', '2')).toContain('the balance lasts for about 3 days')
  expect(pageOf('1', '10')).toContain('the balance lasts for about 16 hours')
  expect(pageOf('2', '1')).not.toContain('the balance lasts')
  expect(pageOf('1', '2', '2026-01-01')).not.toContain('the balance lasts')
})

test('the overview shows what was spent in seven days, as a figure and as a chart', () => {
  const page = pageOf('9', '0.5')
  expect(page).toMatch(/Spent in the last 7 days<\/dt><dd><data value="0.5">/)
  expect(page).toContain('<title>2026-01-31\nsmall: 0.5')
})
