import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type RunningGateway, startGateway } from '../main.ts'
import { rowsAPage } from './pages/layout.ts'
import { makeKey, Visitor } from './test-visitor.ts'

const operatorPassword = 'a password of the operator'
const password = 'correct horse battery'
let gateway: RunningGateway
let root: string

beforeAll(async () => {
  gateway = await startGateway({ dashboard: { operatorPassword } })
  root = (gateway.dashboard?.url ?? '').replace(/\/$/, '')
})
afterAll(() => gateway.close())

const stranger = (): Visitor => new Visitor(root)
async function owner(email: string): Promise<Visitor> {
  const visitor = stranger()
  expect((await visitor.post('/sign-up', { email, password })).status).toBe(303)
  return visitor
}
async function operator(): Promise<Visitor> {
  const visitor = stranger()
  expect((await visitor.post('/operator/sign-in', { password: operatorPassword })).headers.get('location')).toMatch(
    /operator$/,
  )
  return visitor
}

describe('who may see what', () => {
  const ofOwners = [
    ...[
      '/',
      '/requests',
      '/requests.csv',
      '/keys',
      '/keys/ID',
      '/keys/ID/delete',
      '/usage',
      '/usage.csv',
      '/ledger',
      '/ledger.csv',
      '/models',
      '/playground',
    ].map((path) => ['GET', path]),
    ...['/fund', '/keys', '/keys/ID', '/keys/ID/rotate', '/keys/ID/delete', '/playground'].map((path) => [
      'POST',
      path,
    ]),
  ] as [string, string][]
  const ofOperators = [
    ['GET', '/operator'],
    ['GET', '/operator/events'],
    ['GET', '/operator/health'],
    ['GET', '/operator/accounts'],
    ['GET', '/operator/accounts/ID'],
    ['POST', '/operator/models/small'],
    ['POST', '/operator/nodes/sim-small'],
  ] as [string, string][]
  const ask = (visitor: Visitor, method: string, path: string) =>
    method === 'GET' ? visitor.get(path) : visitor.post(path)

  test('every route is somebody’s, or anybody’s on purpose', () => {
    const ofAnybody = ['GET /assets/ID', 'POST /sign-out']
    for (const path of ['/sign-up', '/sign-in', '/operator/sign-in']) ofAnybody.push(`GET ${path}`, `POST ${path}`)
    const routes = readdirSync(join(import.meta.dirname, 'routes')).map((name) => join('routes', name))
    const sources = [...routes, 'dashboard.ts'].map((name) => readFileSync(join(import.meta.dirname, name), 'utf8'))
    const found = [...sources.join('\n').matchAll(/app\.(get|post)\(\s*'(\/[^']*)'/g)].map(
      ([, method = '', path = '']) => `${method.toUpperCase()} ${path.replace(/:\w+/, 'ID')}`,
    )
    const known = [...ofOwners, ...ofOperators].map(
      ([method, path]) => `${method} ${path.replace(/(?:sim-)?small/, 'ID')}`,
    )
    expect([...new Set(found)].sort()).toEqual([...new Set([...known, ...ofAnybody])].sort())
  })

  test.each([...ofOwners, ...ofOperators])('%s %s asks a stranger to sign in', async (method, path) => {
    const answer = await ask(stranger(), method, path)
    expect(answer.status).toBe(303)
    expect(answer.headers.get('location')).toMatch(/sign-in$/)
  })

  test.each(ofOwners)('%s %s is nothing for the operator', async (method, path) => {
    expect((await ask(await operator(), method, path)).headers.get('location')).toMatch(/\/sign-in$/)
  })

  test.each(ofOperators)('%s %s is nothing for an owner', async (method, path) => {
    const visitor = await owner(`no-operator-${method}${path.replaceAll('/', '-')}@example.org`)
    expect((await ask(visitor, method, path)).headers.get('location')).toMatch(/operator\/sign-in$/)
  })

  test("one account's keys, usage and entries are nowhere in another's pages, and cannot be deleted from there", async () => {
    const [ada, bob] = [await owner('ada@example.org'), await owner('bob@example.org')]
    const { id, key } = await makeKey(ada, 'of ada')
    const chat = () =>
      fetch(`${gateway.baseUrl}/api/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'small', messages: [{ role: 'user', content: 'Hello' }], max_tokens: 3 }),
      })
    expect((await chat()).status).toBe(200)
    for (const path of [
      '/',
      '/requests',
      '/requests.csv',
      '/keys',
      '/usage',
      '/usage.csv',
      '/ledger',
      '/ledger.csv',
      '/models',
      '/playground',
    ])
      expect(await (await bob.get(path)).text(), path).not.toMatch(new RegExp(`${id}|of ada|ada@example`))
    for (const path of [`/keys/${id}`, `/keys/${id}/delete`]) expect((await bob.get(path)).status, path).toBe(404)
    for (const path of ['', '/rotate', '/delete'])
      expect((await bob.post(`/keys/${id}${path}`, { name: 'stolen' })).status, path).toBe(404)
    expect((await chat()).status).toBe(200)
    for (const path of ['/keys', '/usage', '/usage.csv', '/ledger', '/ledger.csv'])
      expect(await (await ada.get(path)).text()).toMatch(new RegExp(`${id}|of ada`))
  })
})

describe('safety', () => {
  test('a form without its token, or with another visitor’s, is refused', async () => {
    const [ada, eve] = [await owner('csrf@example.org'), stranger()]
    const [token = ''] = /(?<=name="_csrf" value=")[^"]*/.exec(await (await eve.get('/sign-in')).text()) ?? []
    for (const fields of [{ name: 'x' }, { name: 'x', _csrf: token }])
      expect((await ada.ask('/keys', { method: 'POST', body: new URLSearchParams(fields) })).status).toBe(403)
    expect(await (await ada.get('/keys')).text()).toContain('You have no keys yet')
  })

  test('sessions are cookies that no script reads, and are marked secure behind TLS', async () => {
    const visitor = stranger()
    const answer = await visitor.post('/operator/sign-in', { password: operatorPassword })
    const session = answer.headers.getSetCookie().find((cookie) => cookie.startsWith('assay_session='))
    expect(session).toMatch(/HttpOnly/)
    expect(session).toMatch(/SameSite=Lax/)
    expect(session).not.toMatch(/Secure/)
    const behindTls = await fetch(`${root}/sign-in`, { headers: { 'x-forwarded-proto': 'https' } })
    expect(behindTls.headers.getSetCookie().join()).toMatch(/Secure/)
    expect((await visitor.post('/sign-out')).status).toBe(303)
    expect((await visitor.get('/operator')).headers.get('location')).toMatch(/sign-in$/)
  })

  test('the old session is over where a new one begins, and signing out ends it for a thief too', async () => {
    const visitor = await owner('twice@example.org')
    const thief = stranger()
    Object.assign(thief, { cookies: new Map(Object(visitor).cookies) })
    expect((await thief.get('/')).status).toBe(200)
    await visitor.post('/sign-out')
    expect((await thief.get('/')).status).toBe(303)
  })

  test('guessing is slow: from one place, and for one address', async () => {
    const visitor = stranger()
    const guess = async (email: string) => (await visitor.post('/sign-in', { email, password: 'wrong' })).text()
    const isTold = (page: string) => /try again in \d+ seconds/.test(page)
    let guesses = 0
    // On a slow machine some attempts come back while this goes on.
    while (guesses < 40 && !isTold(await guess(`no${guesses}@example.org`))) guesses += 1
    expect(guesses).toBeGreaterThanOrEqual(10)
    expect(guesses).toBeLessThan(40)
  })

  test('every page has a policy without inline script, and is neither framed nor kept', async () => {
    const { headers } = await (await owner('headers@example.org')).get('/')
    expect(headers.get('content-security-policy')).toContain("script-src 'self';")
    expect(headers.get('content-security-policy')).not.toContain('unsafe')
    expect(headers.get('x-frame-options')).toBe('DENY')
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('cache-control')).toBe('no-store')
  })

  test('a new key is shown on one page, and loading it again shows and creates nothing', async () => {
    const visitor = await owner('once@example.org')
    const created = await visitor.post('/keys', { name: 'only one' })
    expect([created.status, created.headers.get('location')]).toEqual([303, '/dashboard/keys'])
    expect(await (await visitor.get('/keys')).text()).toMatch(/Your new key “only one”.*sk-assay-[0-9a-f]/s)
    const again = await (await visitor.get('/keys')).text()
    expect(again.match(/only one</g)).toHaveLength(1)
    expect(again).not.toContain('sk-assay-')
  })

  test('many keys come in pages, the newest first', async () => {
    const visitor = await owner('many-keys@example.org')
    for (let at = 0; at <= rowsAPage; at += 1) await makeKey(visitor, `number ${at}`)
    const namesAt = async (query: string) =>
      [...(await (await visitor.get(`/keys${query}`)).text()).matchAll(/<th scope="row"><a[^>]*>(number \d+)</g)].map(
        ([, name]) => name,
      )
    for (const query of ['', '?from=0', '?from=-1', '?from=x'])
      expect((await namesAt(query))[0]).toBe(`number ${rowsAPage}`)
    expect(await namesAt('')).toHaveLength(rowsAPage)
    expect(await namesAt(`?from=${rowsAPage}`)).toEqual(['number 0'])
    expect(await namesAt('?from=999999999')).toEqual([])
  })

  test('what people type is text: in pages, and in the file for spreadsheets', async () => {
    const visitor = await owner('text@example.org')
    const { key } = await makeKey(visitor, '=1+1"<b>')
    await fetch(`${gateway.baseUrl}/api/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}` },
      body: JSON.stringify({ model: 'small', messages: [{ role: 'user', content: 'Hello' }], max_tokens: 3 }),
    })
    expect(await (await visitor.get('/keys')).text()).toContain('=1+1&quot;&lt;b&gt;')
    expect(await (await visitor.get('/usage.csv')).text()).toContain(`,"'=1+1""<b>",small,1,`)
    expect(await (await visitor.get('/keys')).text()).not.toContain(key)
  })

  test.each([
    ['/sign-up', { email: 'nobody', password }, 'Enter an e-mail address'],
    ['/sign-up', { email: 'short@example.org', password: 'short' }, 'at least 12 characters'],
    ['/sign-in', { email: 'unknown@example.org', password }, 'The address or the password is wrong'],
  ])('%s with %j says what to do', async (path, fields, message) => {
    const answer = await stranger().post(path, fields)
    expect(answer.status).toBe(400)
    expect(await answer.text()).toContain(message)
  })

  test('an address has one account, and signs in in any case of letters', async () => {
    await owner('Case@Example.org')
    expect(await (await stranger().post('/sign-up', { email: 'case@example.org', password })).text()).toContain(
      'This address already has an account',
    )
    expect((await stranger().post('/sign-in', { email: 'CASE@example.org', password })).status).toBe(303)
  })

  test.each([
    ['/fund', { amount: '-5' }],
    ['/fund', { amount: '1e9' }],
    ['/keys', { name: '' }],
    ['/keys', { name: 'x', requestsPerMinute: '0' }],
    ['/keys', { name: 'x', tokensPerMinute: 'many' }],
  ])('%s refuses %j', async (path, fields) => {
    const visitor = await owner(`bad-${JSON.stringify(fields).replace(/\W/g, '')}@example.org`)
    const answer = await visitor.post(path, fields)
    expect(answer.status).toBe(400)
    // What was typed is still there.
    const page = await answer.text()
    for (const [name, value] of Object.entries(fields)) expect(page).toContain(`name="${name}" value="${value}"`)
  })
})

describe('what it is made of', () => {
  test('assets are kept for ever by their hash, and all of them are at most 60 kB gzipped', async () => {
    const visitor = await operator()
    const pages = [await visitor.get('/operator'), await (await owner('assets@example.org')).get('/playground')]
    const text = (await Promise.all(pages.map((page) => page.text()))).join('')
    const found = [...text.matchAll(/(?:href|src)="(\/dashboard\/assets\/[^"]+)"/g)].map(([, url]) => url)
    const urls = [...new Set(found)]
    expect(urls).toHaveLength(6)
    let bytes = 0
    for (const url of urls) {
      const { headers, status } = await fetch(new URL(url ?? '', gateway.baseUrl), {
        headers: { 'accept-encoding': 'gzip' },
      })
      expect(status).toBe(200)
      expect(headers.get('cache-control')).toContain('immutable')
      bytes += Number(headers.get('content-length'))
    }
    expect(bytes).toBeLessThan(60_000)
    expect((await visitor.get('/assets/style.0000000000000000.css')).status).toBe(404)
  })

  test('it has a port of its own, or is not there at all', async () => {
    const apart = await startGateway({ dashboard: { port: 0 } })
    expect(new URL(apart.dashboard?.url ?? '').port).not.toBe(new URL(apart.baseUrl).port)
    expect((await fetch(`${apart.dashboard?.url}sign-in`)).status).toBe(200)
    expect((await fetch(`${apart.baseUrl}/dashboard/sign-in`)).status).toBe(404)
    expect(apart.dashboard?.operatorPassword.length).toBeGreaterThan(12)
    await apart.close()
    const off = await startGateway()
    expect((await fetch(`${off.baseUrl}/`)).status).toBe(404)
    await off.close()
  })

  test('the API is untouched by it', async () => {
    expect((await fetch(`${gateway.baseUrl}/api/v1/models`)).headers.get('content-security-policy')).toBeNull()
    expect((await fetch(`${gateway.baseUrl}/nope`)).headers.get('content-type')).toContain('json')
  })
})
