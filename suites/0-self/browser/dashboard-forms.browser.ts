import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type RunningGateway, startGateway } from '../../../reference-server/main.ts'
import { makeKey, signInAsOperator, signUp, visit } from './dashboard-visit.ts'
import { openBrowser } from './page-check.ts'

const operatorPassword = 'a password for the operator'
let browser: Browser
let gateway: RunningGateway
let root: string

beforeAll(async () => {
  browser = await openBrowser()
  gateway = await startGateway({ pace: 'profile', dashboard: { operatorPassword } })
  root = gateway.dashboard?.url ?? ''
})
afterAll(async () => {
  await browser.close()
  await gateway.close()
})

const keyNames = (page: Page): Promise<readonly string[]> => page.getByRole('rowheader').allTextContents()
const value = (page: Page, name: string): Promise<string> => page.locator(`main [name=${name}]`).inputValue()

/** Sends a form that the browser itself would refuse. */
async function force(page: Page, button: string): Promise<void> {
  await page.evaluate('for (const form of document.forms) form.noValidate = true')
  await page.getByRole('button', { name: button }).click()
}

describe.each([
  ['desktop', { width: 1100, height: 800 }],
  ['phone', { width: 375, height: 700 }],
] as const)('forms on a %s', (screen, viewport) => {
  test('a page that is loaded again does nothing twice', async () => {
    const { page, context } = await visit(browser, { viewport })
    await signUp(page, root, `reload-${screen}@example.org`)
    const key = await makeKey(page, root, 'laptop')
    await page.reload()
    expect(await keyNames(page)).toEqual(['laptop'])
    expect(await page.content()).not.toContain(key)

    await page.getByRole('link', { name: 'laptop', exact: true }).click()
    await page.getByRole('textbox', { name: 'Name' }).fill('desk')
    await page.getByLabel('Requests per minute').fill('60')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('The key has been changed').waitFor()
    await page.reload()
    expect(await keyNames(page)).toEqual(['desk'])

    await page.getByRole('link', { name: 'desk', exact: true }).click()
    await page.getByRole('button', { name: 'Create the new key' }).click()
    const successor = (await page.locator('#key').textContent()) ?? ''
    expect(successor).toMatch(/^sk-assay-/)
    await page.reload()
    expect(await keyNames(page)).toEqual(['desk', 'desk'])
    expect(await page.content()).not.toContain(successor)

    await page.goto(root)
    await page.getByLabel('Amount in USD').fill('5')
    await page.getByRole('button', { name: 'Simulate the payment' }).click()
    await page.getByText('The credit has been added').waitFor()
    await page.reload()
    expect(await page.locator('#balance data').getAttribute('value')).toBe('6')
    await context.close()
  })

  test('a form that is refused keeps what was typed', async () => {
    const { page, context } = await visit(browser, { viewport })
    await page.goto(`${root}sign-up`)
    await page.getByLabel('E-mail').fill(`typed-${screen}@example.org`)
    await page.getByLabel('Password').fill('short')
    await force(page, 'Open an account')
    await page.getByRole('alert').getByText('at least 12 characters').waitFor()
    expect(await value(page, 'email')).toBe(`typed-${screen}@example.org`)

    await signUp(page, root, `typed-${screen}@example.org`)
    await page.getByLabel('Amount in USD').fill('ten')
    await force(page, 'Simulate the payment')
    await page.getByRole('alert').getByText('Enter an amount').waitFor()
    expect(await value(page, 'amount')).toBe('ten')

    await page.goto(`${root}keys`)
    await page.getByLabel('Name').fill('of a program')
    await page.getByLabel('Tokens per minute').fill('many')
    await force(page, 'Create key')
    await page.getByRole('alert').getByText('Enter a whole number').waitFor()
    expect([await value(page, 'name'), await value(page, 'tokensPerMinute')]).toEqual(['of a program', 'many'])

    await makeKey(page, root, 'kept')
    await page.getByRole('link', { name: 'kept', exact: true }).click()
    await page.getByRole('textbox', { name: 'Name' }).fill('not kept')
    await page.getByLabel('Requests per minute').fill('0')
    await force(page, 'Save')
    await page.getByRole('alert').getByText('Enter a whole number').waitFor()
    expect([await value(page, 'name'), await value(page, 'requestsPerMinute')]).toEqual(['not kept', '0'])
    await page.goto(`${root}keys`)
    expect(await keyNames(page)).toEqual(['kept'])
    await context.close()
  })
})

test('a reply that is stopped stays as far as it came, is charged as far, and the chat goes on', async () => {
  const { page, context, errors } = await visit(browser)
  await signUp(page, root, 'stops@example.org')
  await page.goto(`${root}playground`)
  const said = page.locator('.assistant p')
  await page.locator('[name=message]').fill('Tell a long story.')
  await page.getByRole('button', { name: 'Send' }).click()
  await page.locator('#state').getByText('Streaming').waitFor()
  await page.getByRole('button', { name: 'Stop' }).click()
  await page.locator('#state').getByText('Stopped. What was written is charged.').waitFor()
  const text = await said.textContent()
  expect(text).not.toBe('')
  expect(JSON.parse(await value(page, 'turns'))).toEqual([
    { role: 'user', content: 'Tell a long story.' },
    { role: 'assistant', content: text },
  ])
  expect(await page.getByRole('button', { name: 'Stop' }).isHidden()).toBe(true)
  await page.getByText('Model, system message and parameters').click()
  await page.getByLabel('Max tokens').fill('3')
  await page.locator('[name=message]').fill('Go on.')
  await page.getByRole('button', { name: 'Send' }).click()
  await page.locator('#state').getByText('Complete after').waitFor()
  expect(await page.locator('#turns li').count()).toBe(4)
  await page.goto(`${root}requests`)
  expect(await page.getByRole('row').getByText('client left').count()).toBe(1)
  await page.goto(`${root}usage`)
  const completion = page.locator('.figures div', { hasText: 'Completion tokens' }).locator('dd')
  // A reply has 300 tokens when nobody stops it.
  expect(Number(await completion.textContent())).toBeLessThan(300)
  expect(Number(await completion.textContent())).toBeGreaterThan(3)
  expect(errors).toEqual([])
  await context.close()
})

test('the playground works without a script: turns, parameters, and a refusal that keeps them', async () => {
  const { page, context } = await visit(browser, { javaScriptEnabled: false })
  await signUp(page, root, 'plain@example.org')
  await page.goto(`${root}playground`)
  const turns = page.locator('#turns li')
  const send = (message: string) =>
    page
      .locator('[name=message]')
      .fill(message)
      .then(() => page.getByRole('button', { name: 'Send' }).click())
  await page.getByText('Model, system message and parameters').click()
  await page.locator('[name=model]').selectOption('medium')
  await page.getByLabel('Max tokens').fill('5')
  await send('Hello')
  expect(await turns.count()).toBe(2)
  await send('And again')
  expect(await turns.count()).toBe(4)
  expect([await value(page, 'model'), await value(page, 'max_tokens')]).toEqual(['medium', '5'])
  await page.getByLabel('Temperature').fill('9')
  await send('Too hot')
  expect(await page.getByRole('alert').textContent()).toContain('temperature')
  expect([await turns.count(), await value(page, 'message')]).toEqual([4, 'Too hot'])
  await context.close()
})

test('the operator finds an account and its keys, and how its requests ended', async () => {
  const owner = await visit(browser)
  await signUp(owner.page, root, 'found@example.org')
  const key = await makeKey(owner.page, root, 'of the found one')
  const answer = await fetch(`${gateway.baseUrl}/api/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}` },
    body: JSON.stringify({ model: 'large', messages: [{ role: 'user', content: 'Hello' }], max_tokens: 2 }),
  })
  expect(answer.status).toBe(200)
  await answer.text()
  const { page, context, errors } = await visit(browser)
  await signInAsOperator(page, root, operatorPassword)
  await page.getByRole('link', { name: 'Accounts' }).click()
  await page.getByLabel('Name contains').fill('FOUND@')
  await page.getByRole('button', { name: 'Show' }).click()
  await page.getByRole('link', { name: 'found@example.org' }).click()
  expect(await page.getByRole('rowheader').allTextContents()).toEqual(['of the found one'])
  expect(await page.content()).not.toContain(key)
  await page.getByRole('link', { name: 'Health' }).click()
  await page.getByRole('row', { name: /^large 1 0/ }).waitFor()
  await page.getByRole('row', { name: /^Books \(memory\) works/ }).waitFor()
  expect(errors).toEqual([])
  await context.close()
  await owner.context.close()
})
