import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readColumns } from '../../../bench/results.ts'
import { siteOf } from '../../../bench/site/site.ts'
import { brokenWords, openBrowser, openPage, shoot, violations } from './page-check.ts'

const folder = mkdtempSync(join(tmpdir(), 'assay-site-'))
const columns = readColumns()
const [newest] = columns
let browser: Browser

const heightMax = 6000

beforeAll(async () => {
  for (const [path, text] of siteOf(columns)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  browser = await openBrowser()
})

afterAll(async () => {
  await browser.close()
  rmSync(folder, { recursive: true, force: true })
})

/** One page of each kind, and of the checks those whose rows are the longest and the shortest. */
const kinds = {
  front: 'index.html',
  server: `servers/${newest?.server}.html`,
  difference: `differences/${newest?.server}-${newest?.version}.html`,
  failed: 'checks/models.pricing.html',
  passed: 'checks/stream.ends-with-done.html',
  statement: 'statements/model-pricing.html',
  index: 'checks.html',
}

test.each(Object.entries(kinds))(
  'the page %s of the site breaks no word of a table, fits desktop and phone, and passes axe-core',
  async (name, path) => {
    for (const scheme of ['light', 'dark'] as const) {
      const { page, errors } = await openPage(browser, pathToFileURL(join(folder, path)).href, scheme)
      for (const width of [1280, 390]) {
        await page.setViewportSize({ width, height: 844 })
        await shoot(page, `site-${name}-${width}-${scheme}`)
        expect(await brokenWords(page)).toEqual([])
        expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width)
        expect(await page.evaluate('document.documentElement.scrollHeight')).toBeLessThanOrEqual(heightMax)
      }
      expect(errors).toEqual([])
      // axe-core reads the style sheet, which a page from disk may not.
      expect(await violations(page)).toEqual([])
      await page.close()
    }
  },
)
