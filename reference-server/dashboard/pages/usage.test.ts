import { expect, test } from 'vitest'
import { costOf, pricePerToken } from '../../ledger/money.ts'
import type { DayUsage, HourUsage } from '../../store/store.ts'
import { loadAssets } from '../assets.ts'
import { renderPage } from './layout.ts'
import { usageCsv, usagePage } from './usage.ts'
import { timedByDay, timedByHour } from './usage-chart.ts'

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
  const page = renderPage(frame, usagePage(frame, usage.map(timedByDay), names, now))
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
  const page = renderPage(frame, usagePage(frame, usage.map(timedByDay), names, now, view))
  expect(page).toContain('<option value="7" selected>last 7 days')
  expect(page).toContain('<figcaption>Requests <span class="dim"></span>')
  expect(page).toMatch(/<title>2026-01-31\nThe key of program number \d+ &amp; co: [\d,]+/)
  expect(page.match(/class="swatch/g)).toHaveLength(4)
  expect(page).toContain('others')
  expect(page).not.toContain('2026-01-24')
})

test('one day is shown by the hour, and what is older is left out', () => {
  const hours: readonly HourUsage[] = [0, 1, 24].map((back) => ({
    ...{ keyId: 'key1', model: 'small', requests: 10 + back, promptTokens: 1, completionTokens: 1 },
    usd: costOf(1, pricePerToken(1)),
    hour: new Date(now - back * 3_600_000).toISOString().slice(0, 16).replace('T', ' '),
  }))
  const view = { days: 1, metric: 'requests', by: 'model' } as const
  const page = renderPage(frame, usagePage(frame, hours.map(timedByHour), names, now, view))
  expect(page).toContain('<option value="1" selected>last 24 hours')
  expect(page).toContain('<dt>Requests</dt><dd>21</dd>')
  expect(page).toContain('<title>2026-01-30 23:00\nsmall: 11')
  expect(page).toContain('hour (UTC)')
})
