import OpenAI, { AuthenticationError, InternalServerError } from 'openai'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type RunningGateway, startGateway } from '../../../reference-server/main.ts'
import { makeKey, ownerPassword, signInAsOperator, signUp, visit } from './dashboard-visit.ts'
import { openBrowser, paleButtons, shoot, violations } from './page-check.ts'

const operatorPassword = 'a password for the operator'
let browser: Browser
let gateway: RunningGateway
let root: string

beforeAll(async () => {
  browser = await openBrowser()
  gateway = await startGateway({ dashboard: { operatorPassword } })
  root = gateway.dashboard?.url ?? ''
})
afterAll(async () => {
  await browser.close()
  await gateway.close()
})

const clientOf = (apiKey: string): OpenAI => new OpenAI({ baseURL: `${gateway.baseUrl}/api/v1`, apiKey, maxRetries: 0 })
const hello = { model: 'small', messages: [{ role: 'user' as const, content: 'Say hello.' }], max_tokens: 20 }
const dollarsOn = async (page: Page): Promise<bigint> => {
  const exact = await page.locator('#balance data').getAttribute('value')
  const [whole = '0', fraction = ''] = (exact ?? '').split('.')
  return BigInt(whole + fraction.padEnd(12, '0'))
}

test('from sign-up to a bill: free credit, a key shown once, its use and its end', async () => {
  const { page, errors } = await visit(browser)
  await signUp(page, root, 'ada@example.org')
  expect(await page.getByRole('status').first().textContent()).toContain('$1.00 of free credit')
  const opening = await dollarsOn(page)

  const first = await makeKey(page, root, 'first <script>alert(1)</script>')
  expect(first).toMatch(/^sk-assay-/)
  expect(await page.getByRole('rowheader').textContent()).toBe('first <script>alert(1)</script>')
  await page.goto(`${root}keys`)
  expect(await page.content()).not.toContain(first)

  const stream = await clientOf(first).chat.completions.create({
    ...hello,
    stream: true,
    stream_options: { include_usage: true },
  })
  let usage: { total_tokens: number } | null | undefined
  for await (const chunk of stream) usage = chunk.usage ?? usage
  const costPico = BigInt(usage?.total_tokens ?? 0) * 100_000n
  await page.goto(`${root}usage`)
  expect(await page.locator('tbody tr').first().textContent()).toContain('small')
  await page.goto(root)
  expect(await dollarsOn(page)).toBe(opening - costPico)
  await page.goto(`${root}ledger`)
  expect(await page.locator('tbody tr').count()).toBe(2)

  const second = await makeKey(page, root, 'second')
  await page.getByRole('link', { name: 'Delete first <script>alert(1)</script>' }).click()
  await page.getByRole('button', { name: 'Delete the key' }).click()
  expect(await page.getByRole('status').first().textContent()).toContain('refused from now on')
  await expect(clientOf(first).chat.completions.create(hello)).rejects.toThrow(AuthenticationError)
  const reply = await clientOf(second).chat.completions.create(hello)

  await page.getByRole('link', { name: 'Overview' }).click()
  await page.getByLabel('Amount in USD').fill('12.50')
  await page.getByRole('button', { name: 'Simulate the payment' }).click()
  const spent = costPico + BigInt(reply.usage?.total_tokens ?? 0) * 100_000n
  expect(await dollarsOn(page)).toBe(opening - spent + 12_500_000_000_000n)
  const csv = await page.evaluate(async (url) => (await fetch(url)).text(), `${root}usage.csv`)
  expect(csv.trim().split('\r\n')).toHaveLength(3)
  expect(errors).toEqual([])
  await page.context().close()
})

test('the operator takes a model down during a stream, and up again, without reloading the page', async () => {
  const owner = await visit(browser)
  await signUp(owner.page, root, 'bob@example.org')
  const client = clientOf(await makeKey(owner.page, root, 'only'))
  const { page, errors } = await visit(browser)
  await signInAsOperator(page, root, operatorPassword)
  const mark = page.locator('[data-model="medium"]')
  const set = (state: string): Promise<void> =>
    page.getByRole('button', { name: `Model medium: ${state}`, exact: true }).click()
  await page.evaluate('window.stays = true')

  await set('down')
  await mark.getByText('not served').waitFor()
  const streamed = client.chat.completions.create({ ...hello, model: 'medium', stream: true })
  await expect(streamed).rejects.toThrow(InternalServerError)
  await expect(streamed).rejects.toMatchObject({ status: 503 })
  await set('up')
  await mark.getByText('served', { exact: true }).waitFor()
  expect(
    (await client.chat.completions.create({ ...hello, model: 'medium' })).usage?.completion_tokens,
  ).toBeGreaterThan(0)

  await page.getByRole('textbox', { name: 'Scripted reply of sim-medium' }).fill('Whatever the operator wants.')
  await page.getByRole('button', { name: 'Set the reply of sim-medium' }).click()
  await expect
    .poll(async () => (await client.chat.completions.create({ ...hello, model: 'medium' })).choices[0]?.message.content)
    .toBe('Whatever the operator wants.')
  await page.getByRole('combobox', { name: 'Fault of sim-medium' }).selectOption('error')
  await page.getByRole('button', { name: 'Set the fault of sim-medium' }).click()
  await expect
    .poll(() =>
      client.chat.completions.create({ ...hello, model: 'medium' }).then(
        () => 200,
        ({ status }) => status,
      ),
    )
    .toBe(503)
  await page.getByRole('combobox', { name: 'Fault of sim-medium' }).selectOption('none')
  await page.getByRole('button', { name: 'Set the fault of sim-medium' }).click()
  await expect.poll(() => page.locator('[data-figure="total"]').textContent()).not.toBe('0')
  expect(await page.evaluate('window.stays')).toBe(true)
  expect(errors).toEqual([])
  await page.context().close()
  await owner.context.close()
})

test('a chat streams into the page, keeps its turns, and its snippets follow what is chosen', async () => {
  const { page, errors } = await visit(browser)
  await signUp(page, root, 'eve@example.org')
  await page.goto(`${root}playground`)
  const send = () => page.getByRole('button', { name: 'Send' }).click()
  const state = page.locator('#state')
  await page.getByText('Model, system message and parameters').click()
  await page.locator('[name=model]').selectOption('large')
  await page.getByLabel('Max tokens').fill('30')
  await send()
  await state.getByText('Complete after').waitFor()
  expect((await page.locator('.assistant p').textContent())?.length).toBeGreaterThan(5)
  await page.locator('[name=message]').fill('And "then"?')
  for (const name of ['curl', 'javascript', 'python']) {
    const code = await page.locator(`#code-${name}`).textContent()
    expect(code).toMatch(/"model": "large".*"role": "assistant".*"content": "And \\"then\\"\?".*"max_tokens": 30/s)
  }
  await send()
  await expect.poll(() => page.locator('#turns li').count()).toBe(4)
  await page.getByLabel('Temperature').fill('9')
  await page.locator('[name=message]').fill('Refused')
  await send()
  await state.getByText('HTTP 400').waitFor()
  expect(await page.locator('[name=message]').inputValue()).toBe('Refused')
  expect(await page.locator('#turns li').count()).toBe(4)
  // The one error is the refusal, which browsers note by themselves.
  expect(errors).toHaveLength(1)
  await page.context().close()
})

/** Tables of which a phone does not show all. */
const cutOff = `[...document.querySelectorAll('.scroll')]
  .filter((table) => table.scrollWidth > table.clientWidth)
  .map((table) => table.getAttribute('aria-label'))`

/** Sums and times that stand on two lines. */
const brokenFigures = `[...document.querySelectorAll('.list data, .list time')]
  .filter((one) => one.getClientRects().length > 1)
  .map((one) => one.textContent)`

const linksOutOfSight = `[...document.querySelectorAll('header nav a')]
  .filter((link) => link.getBoundingClientRect().right > link.closest('ul').parentElement.getBoundingClientRect().right)
  .map((link) => link.textContent)`

describe('every page', () => {
  const owned = ['', 'requests', 'keys', 'usage', 'usage?days=1', 'ledger', 'models', 'playground']
  const open = ['sign-in', 'sign-up', 'operator/sign-in']

  test('passes axe-core in both themes, fits a phone, and is small', async () => {
    for (const colorScheme of ['light', 'dark'] as const) {
      const { page, context, errors } = await visit(browser, { colorScheme })
      const look = async (path: string): Promise<void> => {
        const answer = await page.goto(root + path)
        expect((await answer?.body())?.length, path).toBeLessThan(30_000)
        await check(page, `dashboard-${path.replace(/\W/g, '-') || 'overview'}`, colorScheme)
      }
      for (const path of open) await look(path)
      await signUp(page, root, `axe-${colorScheme}@example.org`)
      const key = await makeKey(page, root, 'looked at')
      await check(page, 'dashboard-key-shown', colorScheme)
      await clientOf(key).chat.completions.create(hello)
      for (const path of owned) await look(path)
      await page.goto(`${root}keys`)
      await page.getByRole('link', { name: 'looked at', exact: true }).click()
      await check(page, 'dashboard-key', colorScheme)
      await page.getByRole('link', { name: 'Delete the key' }).click()
      await check(page, 'dashboard-delete', colorScheme)
      await signInAsOperator(page, root, operatorPassword)
      await page.waitForTimeout(2500)
      await check(page, 'dashboard-operator', colorScheme)
      for (const path of ['operator/health', 'operator/accounts']) await look(path)
      await page.getByRole('link', { name: `axe-${colorScheme}@example.org` }).click()
      await check(page, 'dashboard-operator-account', colorScheme)
      expect(errors).toEqual([])
      await context.close()
    }
  }, 180_000)

  async function check(page: Page, name: string, scheme: string): Promise<void> {
    expect(await violations(page), name).toEqual([])
    expect(await paleButtons(page), name).toEqual([])
    await shoot(page, `${name}-${scheme}`)
    await page.setViewportSize({ width: 375, height: 700 })
    expect(await page.evaluate('document.documentElement.scrollWidth'), name).toBeLessThanOrEqual(375)
    expect(await page.evaluate(cutOff), name).toEqual([])
    if (scheme === 'light') await shoot(page, `${name}-phone`)
    await page.setViewportSize({ width: 1100, height: 800 })
  }

  test('of a long list is below 6,000 pixels on a phone, breaks no figure, and shows the way to all others', async () => {
    const full = await startGateway({ demo: true, pace: 'instant', dashboard: { operatorPassword } })
    const { email = '', password = '', apiKey = '' } = { ...full.demo?.person, apiKey: full.demo?.apiKey }
    const client = new OpenAI({ baseURL: `${full.baseUrl}/api/v1`, apiKey, maxRetries: 0 })
    for (let at = 0; at < 30; at += 1)
      await client.chat.completions.create({ ...hello, model: at % 2 === 0 ? 'small' : 'none' }).catch(() => undefined)
    const own = full.dashboard?.url ?? ''
    const { page, context } = await visit(browser, { viewport: { width: 390, height: 844 } })
    await page.goto(`${own}sign-in`)
    await page.getByLabel('E-mail').fill(email)
    await page.getByLabel('Password').fill(password)
    await page.getByRole('main').getByRole('button').click()
    const look = async (path: string): Promise<void> => {
      await page.goto(own + path)
      expect(await page.evaluate('document.documentElement.scrollHeight'), path).toBeLessThan(6000)
      expect(await page.evaluate(brokenFigures), path).toEqual([])
      expect(await page.evaluate(linksOutOfSight), path).toEqual([])
    }
    for (let at = 0; at < 25; at += 1) await makeKey(page, own, `number ${at}`)
    for (const path of owned) await look(path)
    await signInAsOperator(page, own, operatorPassword)
    for (const path of ['operator', 'operator/health', 'operator/accounts']) await look(path)
    await context.close()
    await full.close()
  }, 120_000)

  test('works without JavaScript, and with only a keyboard', async () => {
    const { page, context } = await visit(browser, { javaScriptEnabled: false })
    await page.goto(`${root}sign-up`)
    const type = async (text: string): Promise<void> => {
      await page.keyboard.press('Tab')
      await page.keyboard.type(text)
    }
    await page.getByLabel('E-mail').focus()
    await page.keyboard.type('keys@example.org')
    await type(ownerPassword)
    await page.keyboard.press('Enter')
    await page.getByText('Your account is open').waitFor()
    await page.getByRole('link', { name: 'Keys' }).focus()
    await page.keyboard.press('Enter')
    await page.getByLabel('Name').focus()
    await page.keyboard.type('by keyboard')
    await type('60')
    await type('1000')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    expect(await page.locator('#key').textContent()).toMatch(/^sk-assay-/)
    expect(await page.getByRole('row').last().textContent()).toContain('60 requests, 1,000 tokens')
    await page.getByRole('link', { name: 'Delete by keyboard' }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Delete the key' }).focus()
    await page.keyboard.press('Enter')
    await page.getByText('You have no keys yet').waitFor()
    await page.getByRole('button', { name: 'Sign out' }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Sign in' }).waitFor()
    await page.goto(`${root}operator/sign-in`)
    await page.getByLabel('Password').focus()
    await page.keyboard.type(operatorPassword)
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Model large: down' }).focus()
    await page.keyboard.press('Enter')
    await page.locator('[data-model="large"]').getByText('not served').waitFor()
    await page.getByRole('button', { name: 'Model large: up' }).focus()
    await page.keyboard.press('Enter')
    await page.locator('[data-model="large"]').getByText('served', { exact: true }).waitFor()
    await context.close()
  })
})
