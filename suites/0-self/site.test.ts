import { expect, test } from 'vitest'
import { readColumns } from '../../bench/results.ts'
import { siteOf } from '../../bench/site/site.ts'

const columns = readColumns()
const bytesMax = 2_000_000

test('the site is small, has the same bytes every time, and every link leads to one of its files', () => {
  const site = siteOf(columns)
  const bytes = [...site.values()].reduce((sum, text) => sum + Buffer.byteLength(text), 0)
  expect(bytes).toBeLessThan(bytesMax)
  expect([...siteOf(columns)]).toEqual([...site])
  const lost = [...site].flatMap(([path, text]) =>
    [...text.matchAll(/(?:href|src)="([^"]+)"/g)]
      .map(([, link = '']) => new URL(link, `http://site/${path}`).pathname.slice(1))
      .filter((target) => !site.has(decodeURIComponent(target)))
      .map((target) => `${path}: ${target}`),
  )
  expect(lost).toEqual([])
})

test('the kept results hold no key and no path of the machine that made them', () => {
  const text = JSON.stringify(columns)
  expect(columns.length).toBeGreaterThan(0)
  expect(text).not.toMatch(/sk-(?:interop|node|test)-|Bearer sk-|\/home\/|\/root\/|\/tmp\//)
})
