import type { Browser, BrowserContext, Page } from 'playwright-core'

/** The password of every owner whom the tests sign up. */
export const ownerPassword = 'correct horse battery'

/** A browser with cookies of its own, and what its console says is wrong. */
export interface Visit {
  readonly page: Page
  readonly context: BrowserContext
  readonly errors: readonly string[]
}

export async function visit(browser: Browser, options: Parameters<Browser['newContext']>[0] = {}): Promise<Visit> {
  const context = await browser.newContext({ viewport: { width: 1100, height: 800 }, ...options })
  const page = await context.newPage()
  const errors: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error') errors.push(message.text())
  })
  page.on('pageerror', (error) => errors.push(error.message))
  return { page, context, errors }
}

export async function signUp(page: Page, root: string, email: string): Promise<void> {
  await page.goto(`${root}sign-up`)
  await page.getByLabel('E-mail').fill(email)
  await page.getByLabel('Password').fill(ownerPassword)
  await page.getByRole('button', { name: 'Open an account' }).click()
}

/** Creates a key and reads it from the page that shows it. */
export async function makeKey(page: Page, root: string, name: string): Promise<string> {
  await page.goto(`${root}keys`)
  await page.getByLabel('Name').fill(name)
  await page.getByRole('button', { name: 'Create key' }).click()
  return (await page.locator('#key').textContent()) ?? ''
}

export async function signInAsOperator(page: Page, root: string, password: string): Promise<void> {
  await page.goto(`${root}operator/sign-in`)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
}
