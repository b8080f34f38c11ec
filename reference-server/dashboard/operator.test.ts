import { afterAll, beforeAll, expect, test } from 'vitest'
import { type RunningGateway, startGateway } from '../main.ts'
import { StoreUnavailable } from '../store/store.ts'
import { rowsAPage } from './pages/layout.ts'
import { operatorHealthPage } from './pages/operator-health.ts'
import { makeKey, newOwner, Visitor } from './test-visitor.ts'

const operatorPassword = 'a password of the operator'
let gateway: RunningGateway
let root: string
let operator: Visitor

beforeAll(async () => {
  gateway = await startGateway({ dashboard: { operatorPassword }, control: {} })
  root = (gateway.dashboard?.url ?? '').replace(/\/$/, '')
  operator = new Visitor(root)
  await operator.post('/operator/sign-in', { password: operatorPassword })
})
afterAll(() => gateway.close())

const shown = async (path: string): Promise<string> => (await operator.get(path)).text()

/** The cells of the rows of a page's tables, without markup. */
async function rowsAt(path: string): Promise<readonly (readonly string[])[]> {
  const bodies = [...(await shown(path)).matchAll(/<tbody>(.*?)<\/tbody>/gs)].map(([, body = '']) => body)
  const rows = bodies.join('').split('</tr>').slice(0, -1)
  return rows.map((row) =>
    [...row.matchAll(/<t[hd][^>]*>(.*?)<\/t[hd]>/gs)].map(([, cell = '']) => cell.replace(/<[^>]*>/g, '')),
  )
}

async function chat(key: string, model: string): Promise<number> {
  const answer = await fetch(`${gateway.baseUrl}/api/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}` },
    body: JSON.stringify({ model, messages: [{ role: 'user', content: 'Hello' }], max_tokens: 3, stream: true }),
  })
  await answer.text()
  return answer.status
}

test('accounts are listed with balances and keys, never with the value of a key', async () => {
  const ada = await newOwner(root, 'ada@example.org')
  const { id, key } = await makeKey(ada, 'of ada')
  await newOwner(root, 'bob@example.org')
  const rows = await rowsAt('/operator/accounts')
  expect(rows.map(([name, , balance, , keys]) => [name, balance, keys])).toEqual([
    ['bob@example.org', '$1.00', '0'],
    ['ada@example.org', '$1.00', '1'],
  ])
  expect((await rowsAt('/operator/accounts?name=ADA')).map(([name]) => name)).toEqual(['ada@example.org'])
  expect(await shown('/operator/accounts?name=nobody')).toContain('No open account fits')
  const [, account = ''] = rows[1] ?? []
  const page = await shown(`/operator/accounts/${account}`)
  expect(page).toMatch(new RegExp(`Account ada@example.org.*of ada.*${id}`, 's'))
  expect(page).not.toContain(key)
  expect((await operator.get('/operator/accounts/none')).status).toBe(404)
})

test('the page of the network says what each state and fault means, and that nothing is under way', async () => {
  const page = await shown('/operator')
  for (const words of ['get a 503 with', 'taken and never answered', 'waits 3 s before its reply', 'after 3 fragments'])
    expect(page).toContain(words)
  expect(page).toContain('<p id="idle">None at the moment.</p>')
})

test('many accounts come in pages', async () => {
  const { url, token } = gateway.control ?? {}
  for (let at = 0; at <= rowsAPage; at += 1)
    await fetch(`${url}/control/v1/accounts`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}` },
      body: JSON.stringify({ name: `page ${at}` }),
    })
  const first = await shown('/operator/accounts?name=page')
  expect(first).toContain(`?name=page&amp;from=${rowsAPage}">Older`)
  expect(first).not.toContain('Newer')
  const last = await shown(`/operator/accounts?name=page&from=${rowsAPage}`)
  expect(last).toMatch(/>page 0<.*Newer/s)
  expect(last).not.toContain('Older')
})

test('health shows how the last requests of each model and node ended', async () => {
  const { key } = await makeKey(await newOwner(root, 'eve@example.org'), 'of eve')
  expect([await chat(key, 'small'), await chat(key, 'small')]).toEqual([200, 200])
  const { url, token } = gateway.control ?? {}
  const set = (state: string) =>
    fetch(`${url}/control/v1/models/medium/nodes`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${token}` },
      body: JSON.stringify({ state }),
    })
  await set('down')
  expect(await chat(key, 'medium')).toBe(503)
  await set('up')
  await expect.poll(async () => (await rowsAt('/operator/health')).length).toBe(5)
  const rows = await rowsAt('/operator/health')
  expect(rows.map((cells) => cells.slice(0, 3))).toEqual([
    ['Books (memory)', 'works', expect.stringMatching(/ ms$/)],
    ['Limits of keys', 'kept in this process: no Redis is used', '–'],
    ['small', '2', '0'],
    ['medium', '1', '1 (100.0 %)'],
    ['sim-small', '2', '0'],
  ])
  const times = expect.stringMatching(/^[\d.]+ m?s \/ [\d.]+ m?s \/ [\d.]+ m?s$/)
  expect(rows[2]?.slice(5)).toEqual([times, times])
  expect(rows[3]?.slice(5)).toEqual(['–', '–'])
})

test('whoever opens the page of the network is told of its last seconds at once, and then of its state', async () => {
  const messages = async (count: number) => {
    const { body } = await operator.get('/operator/events')
    const reader = body?.pipeThrough(new TextDecoderStream()).getReader()
    let text = ''
    while (text.split('\n\n').length <= count) text += (await reader?.read())?.value ?? ''
    await reader?.cancel()
    return text
      .split('\n\n')
      .slice(0, count)
      .map((message) => JSON.parse(message.slice('data: '.length)))
  }
  await expect.poll(async () => (await messages(1))[0].past.length, { timeout: 20_000 }).toBeGreaterThanOrEqual(2)
  const [first, second] = await messages(2)
  expect(first.past[0]).toEqual({ at: expect.any(Number), requests: expect.any(Number), tokens: expect.any(Number) })
  expect(second.counters.requests).toBeGreaterThanOrEqual(first.past.at(-1).requests)
  expect(second.past).toBeUndefined()
})

test('health says what does not answer', () => {
  const { message } = new StoreUnavailable('the ledger cannot be written: disk full')
  const none = { models: [], nodes: [], storeName: 'postgres', sharesLimits: true }
  const { text } = operatorHealthPage({ ...none, storeTrouble: message, limitsTrouble: 'Redis is away' }).body
  expect(text).toContain('<span class="down">the ledger cannot be written: disk full</span>')
  expect(text).toMatch(/Limits of keys \(Redis\)<.*<span class="down">Redis is away<\/span>/)
  expect(operatorHealthPage(none).body.text).toContain('<span class="down">the books do not answer</span>')
})
