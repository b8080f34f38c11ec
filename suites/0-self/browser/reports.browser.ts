import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { checks } from '../../index.ts'
import { openBrowser, openPage, shoot, violations } from './page-check.ts'
import { samplePages } from './sample-pages.ts'

const folder = mkdtempSync(join(tmpdir(), 'assay-pages-'))
const pages = samplePages()
const fileOf = (name: string): string => join(folder, `${name}.html`)
const urlOf = (name: string): string => pathToFileURL(fileOf(name)).href
let browser: Browser

const bytesMax = 1_500_000
const heightMax = 6000
const phone = { width: 390, height: 844 }

beforeAll(async () => {
  for (const [name, page] of Object.entries(pages)) writeFileSync(fileOf(name), page)
  browser = await openBrowser()
})

afterAll(async () => {
  await browser.close()
  rmSync(folder, { recursive: true, force: true })
})

describe.each(Object.keys(pages))('the page %s', (name) => {
  test('is one small file, needs no network, logs no error, fits desktop and phone, and passes axe-core in light and dark', async () => {
    expect(statSync(fileOf(name)).size).toBeLessThan(bytesMax)
    for (const scheme of ['light', 'dark'] as const) {
      const { page, errors, requests } = await openPage(browser, urlOf(name), scheme)
      await shoot(page, `${name}-${scheme}`)
      await expectToFit(page, 1100)
      await page.setViewportSize(phone)
      await shoot(page, `${name}-phone-${scheme}`)
      await expectToFit(page, phone.width)
      await openSome(page)
      await expectNoWider(page, phone.width)
      expect(await violations(page)).toEqual([])
      expect(errors).toEqual([])
      expect(requests).toEqual([])
      await page.close()
    }
  })

  test('can be read without a script', async () => {
    const context = await browser.newContext({ javaScriptEnabled: false, viewport: phone })
    const page = await context.newPage()
    await page.goto(urlOf(name))
    expect(await page.locator('h1').isVisible()).toBe(true)
    expect(await page.locator('.scripted-only:visible').count()).toBe(0)
    const fold = page.locator('main details').first()
    if ((await fold.getAttribute('open')) === null) await fold.locator('summary').first().click()
    expect(await fold.locator(':scope > :nth-child(2)').isVisible()).toBe(true)
    await context.close()
  })
})

async function expectToFit(page: Page, width: number): Promise<void> {
  await expectNoWider(page, width)
  expect(await page.evaluate('document.documentElement.scrollHeight')).toBeLessThanOrEqual(heightMax)
}

async function expectNoWider(page: Page, width: number): Promise<void> {
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width)
}

/** Opens the first folded thing of each kind, with what is folded into it: axe-core does not look into closed ones. */
async function openSome(page: Page): Promise<void> {
  await page.evaluate(`for (const kind of ['card', 'group', 'more']) {
    const first = document.querySelector('details.' + kind)
    if (first !== null) for (const one of [first, ...first.querySelectorAll('details')]) one.open = true
  }`)
}

describe('with a script', () => {
  test('the checks can be searched and filtered with only a keyboard', async () => {
    const { page } = await openPage(browser, urlOf('conformance'))
    const visible = (): Promise<number> => page.locator('#checks li:visible').count()
    expect(await visible()).toBe(0)
    await page.getByRole('searchbox').focus()
    await page.keyboard.type('stream.ends-with-done')
    expect(await visible()).toBeGreaterThanOrEqual(1)
    expect(await page.locator('output').textContent()).toMatch(/^[1-9]\d* of \d+$/)
    await page.keyboard.press('Control+A')
    await page.keyboard.press('Delete')
    expect(await page.locator('output').textContent()).toBe(`${checks.length} of ${checks.length}`)
    expect(await visible()).toBe(0)
    // The first verdict comes after the search field; the space bar filters it out.
    await page.keyboard.press('Tab')
    await page.keyboard.press('Space')
    const left = await visible()
    expect(left).toBeGreaterThan(0)
    expect(left).toBeLessThan(checks.length)
    expect(await page.locator('#checks li[data-kind=pass]:visible').count()).toBe(0)
    await page.close()
  })

  test.each([0, 1, 200])('a link to check %i opens it, wherever it is folded', async (index) => {
    const { id = '' } = checks[index] ?? {}
    const { page } = await openPage(browser, `${urlOf('conformance')}#${id}`)
    const check = page.locator(`[id="${id}"]`)
    expect(await check.getAttribute('open')).not.toBeNull()
    expect(await check.isVisible()).toBe(true)
    await page.close()
  })

  test('a curl line can be copied, and the place of the failure is marked', async () => {
    const context = await browser.newContext({ permissions: ['clipboard-read', 'clipboard-write'] })
    const page = await context.newPage()
    await page.goto(urlOf('conformance'))
    const card = page.locator('details.card').first()
    await card.locator('summary').first().click()
    await card.getByRole('button', { name: 'Copy' }).first().click()
    await card.getByRole('button', { name: 'Copied' }).waitFor()
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe("curl -d '{}' http://gateway")
    expect(await card.locator('li.place mark').textContent()).toBe('"word 36"')
    expect(await card.locator('svg.strip rect.place').count()).toBe(1)
    await context.close()
  })

  test('a chart names the values where the pointer is', async () => {
    const { page } = await openPage(browser, urlOf('load'))
    const chart = page.locator('.chart').first()
    await chart.hover()
    expect(await chart.locator('.tip').textContent()).toMatch(/^\d+ seconds\np50: \d+.*\np95: \d+/)
    await page.locator('h1').hover()
    expect(await chart.locator('.tip').isVisible()).toBe(false)
    await page.close()
  })
})
