import { mkdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { type Browser, chromium, type Page } from 'playwright-core'
import { packageFolder } from '../../../src/fixtures.ts'
import { chromiumPath } from './machine.ts'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
/** Screenshots of every page, for people to look at; git ignores them. */
const shots = join(packageFolder, '.cache', 'screenshots')

export async function openBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: chromiumPath(), args: ['--no-sandbox'] })
}

export interface Opened {
  readonly page: Page
  /** Errors on the console, and addresses that the page requested from the network. */
  readonly errors: readonly string[]
  readonly requests: readonly string[]
}

export async function openPage(
  browser: Browser,
  url: string,
  colorScheme: 'light' | 'dark' = 'light',
): Promise<Opened> {
  const page = await browser.newPage({ colorScheme, viewport: { width: 1100, height: 800 } })
  const errors: string[] = []
  const requests: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error') errors.push(message.text())
  })
  page.on('pageerror', (error) => errors.push(error.message))
  page.on('request', (request) => {
    if (!request.url().startsWith('file:')) requests.push(request.url())
  })
  await page.goto(url)
  return { page, errors, requests }
}

/** What axe-core finds wrong with a page: each rule with its places. */
export async function violations(page: Page): Promise<readonly string[]> {
  // Not as an element: pages with a strict policy would not run it.
  await page.evaluate(axe)
  return page.evaluate(async () => {
    const { axe: checker } = globalThis as unknown as {
      axe: { run(): Promise<{ violations: { id: string; nodes: { target: string[] }[] }[] }> }
    }
    const found = await checker.run()
    return found.violations.map(
      ({ id, nodes }) =>
        `${id}: ${nodes
          .slice(0, 3)
          .map(({ target }) => target.join(' '))
          .join(', ')}`,
    )
  })
}

/** Buttons with too little contrast to read: axe-core cannot decide those with a transparent background. */
export async function paleButtons(page: Page): Promise<readonly string[]> {
  return page.evaluate(findPale)
}

/** The ratio of WCAG 2: 4.5 for text. In the page's own language, because that is where it runs. */
const findPale = `(() => {
  const channels = (color) => (color.match(/[\\d.]+/g) ?? []).map(Number)
  const light = (color) => {
    const [red, green, blue] = channels(color).map((value) =>
      value / 255 <= 0.04045 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
  }
  const ground = (element) => {
    const color = element === null ? 'rgb(255, 255, 255)' : getComputedStyle(element).backgroundColor
    return channels(color)[3] === 0 ? ground(element.parentElement) : color
  }
  return [...document.querySelectorAll('button')]
    .filter((button) => {
      const [low, high] = [light(getComputedStyle(button).color), light(ground(button))].sort((a, b) => a - b)
      return (high + 0.05) / (low + 0.05) < 4.5
    })
    .map((button) => button.textContent + ' ' + getComputedStyle(button).color + ' on ' + ground(button))
})()`

/** Short words in tables that stand on two lines, because their column is too narrow for them. */
export async function brokenWords(page: Page): Promise<readonly string[]> {
  return page.evaluate(findBroken)
}

const findBroken = `(() => {
  const broken = []
  for (const cell of document.querySelectorAll('th, td')) {
    const texts = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT)
    while (texts.nextNode()) {
      const text = texts.currentNode
      if (text.parentElement.closest('pre, code') !== null) continue
      for (const { 0: word, index } of text.data.matchAll(/[^\\s-]{2,14}/g)) {
        const range = document.createRange()
        range.setStart(text, index)
        range.setEnd(text, index + word.length)
        if (new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size > 1) broken.push(word)
      }
    }
  }
  return broken
})()`

export async function shoot(page: Page, name: string): Promise<void> {
  mkdirSync(shots, { recursive: true })
  await page.screenshot({ path: join(shots, `${name}.png`), fullPage: true })
}
