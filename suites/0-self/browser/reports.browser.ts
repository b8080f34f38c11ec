import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { faults } from '../../../detection/faults/index.ts'
import { startGateway } from '../../../reference-server/main.ts'
import { assay } from '../assay.ts'
import { openBrowser, openPage, shoot, violations } from './page-check.ts'

const folder = mkdtempSync(join(tmpdir(), 'assay-pages-'))
const pages = { conformance: join(folder, 'run.html'), load: join(folder, 'load.html') }
let browser: Browser

beforeAll(async () => {
  browser = await openBrowser()
  const wraps = [faults['sse-no-done'].wrap(), faults['stream-is-free'].wrap()]
  const gateway = await startGateway({ demo: true, wraps })
  const env = { ASSAY_API_KEY: gateway.demo?.apiKey ?? '' }
  const target = ['--base-url', new URL(gateway.baseUrl).origin, '--seed', '1']
  await assay(['conformance', ...target, '--runs', '10', '--report', `html=${pages.conformance}`], env, folder)
  await assay(
    [
      'load',
      '--sweep',
      '1,2,4',
      '--duration',
      '1',
      '--max-tokens',
      '4',
      '--slo',
      'ttft.p95<1s',
      '--report',
      `html=${pages.load}`,
    ],
    {},
    folder,
  )
  await gateway.close()
})

afterAll(async () => {
  await browser.close()
  rmSync(folder, { recursive: true, force: true })
})

describe.each(Object.entries(pages))('the page of a %s run', (name, file) => {
  test('is small, needs no network, logs no error, and passes axe-core in light and dark', async () => {
    expect(statSync(file).size).toBeLessThan(1_000_000)
    for (const scheme of ['light', 'dark'] as const) {
      const { page, errors, requests } = await openPage(browser, pathToFileURL(file).href, scheme)
      await shoot(page, `${name}-${scheme}`)
      expect(await violations(page)).toEqual([])
      expect(errors).toEqual([])
      expect(requests).toEqual([])
      await page.close()
    }
  })

  test('fits a phone', async () => {
    const { page } = await openPage(browser, pathToFileURL(file).href)
    await page.setViewportSize({ width: 375, height: 700 })
    await shoot(page, `${name}-phone`)
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(375)
    await page.close()
  })
})

test('the checks can be filtered with only a keyboard', async () => {
  const { page } = await openPage(browser, pathToFileURL(pages.conformance).href)
  const visible = (): Promise<number> => page.locator('#checks tbody tr:visible').count()
  const all = await visible()
  await page.locator('#query').focus()
  await page.keyboard.type('stream.ends-with-done')
  expect(await visible()).toBeLessThan(all)
  expect(await visible()).toBeGreaterThanOrEqual(1)
  expect(await page.locator('#shown').textContent()).toMatch(/^\d+ of \d+ checks$/)
  await page.keyboard.press('Control+A')
  await page.keyboard.press('Delete')
  expect(await visible()).toBe(all)
  // The first verdict comes after the search field; the space bar filters it out.
  await page.keyboard.press('Tab')
  await page.keyboard.press('Space')
  expect(await visible()).toBeLessThan(all)
  await page.close()
})
