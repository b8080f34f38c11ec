import { expect, test } from 'vitest'
import { costOf, pricePerToken } from '../../ledger/money.ts'
import type { DayUsage } from '../../store/store.ts'
import { loadAssets } from '../assets.ts'
import { renderPage } from './layout.ts'
import { usageCsv, usagePage } from './usage.ts'

const frame = { root: '/dashboard', assets: loadAssets('/dashboard/assets'), csrf: 'x'.repeat(60), path: '/usage' }
const now = Date.UTC(2026, 0, 31)
const names = new Map(Array.from({ length: 40 }, (_, at) => [`key${at}`, `The key of program number ${at} & co`]))
const usage: readonly DayUsage[] = Array.from({ length: 2000 }, (_, at) => ({
  day: new Date(now - at * 3_600_000).toISOString().slice(0, 10),
  keyId: `key${at % 40}`,
  model: 'small',
  requests: 123_456,
  promptTokens: 1_234_567,
  completionTokens: 7_654_321,
  usd: costOf(123_457, pricePerToken(1)),
}))

test('a page of much usage stays small, and says where the rest is', () => {
  const page = renderPage(frame, usagePage(frame, usage, names, now))
  expect(Buffer.byteLength(page)).toBeLessThan(30_000)
  expect(page).toContain('The newest 25 of 697 lines; the file has them all.')
  expect(usageCsv(usage, names).trim().split('\r\n')).toHaveLength(2001)
})

test('a page of no usage has its chart all the same', () => {
  const page = renderPage(frame, usagePage(frame, [], names, now))
  expect(page).toContain('Nothing has been used in these days')
  expect(page).toContain('<svg class="narrow"')
})

test('the chart shows what was chosen: a metric, days, and layers by model or key', () => {
  const view = { days: 7, metric: 'requests', by: 'key' } as const
  const page = renderPage(frame, usagePage(frame, usage, names, now, view))
  expect(page).toContain('<option value="7" selected>last 7 days')
  expect(page).toMatch(/<title>2026-01-31\nThe key of program number \d+ &amp; co: [\d,]+/)
  expect(page.match(/class="swatch/g)).toHaveLength(4)
  expect(page).toContain('others')
  expect(page).not.toContain('2026-01-24')
})
