import { afterAll, beforeAll, expect, test } from 'vitest'
import { type RunningGateway, startGateway } from '../main.ts'
import { makeKey, newOwner } from './test-visitor.ts'

let gateway: RunningGateway
let root: string

beforeAll(async () => {
  gateway = await startGateway({ dashboard: {} })
  root = (gateway.dashboard?.url ?? '').replace(/\/$/, '')
})
afterAll(() => gateway.close())

test('a key is renamed and limited, and keeps what was typed where that is refused', async () => {
  const visitor = await newOwner(root, 'changes@example.org')
  const { id, key } = await makeKey(visitor, 'before')
  const refused = await visitor.post(`/keys/${id}`, { name: 'after', requestsPerMinute: 'many' })
  expect([refused.status, await refused.text()]).toEqual([400, expect.stringContaining('value="many"')])
  expect(await (await visitor.get('/keys')).text()).toContain('>before<')
  const changed = await visitor.post(`/keys/${id}`, { name: 'after', requestsPerMinute: '60', tokensPerMinute: '' })
  expect([changed.status, changed.headers.get('location')]).toEqual([303, '/dashboard/keys?done=changed'])
  const page = await (await visitor.get('/keys?done=changed')).text()
  expect(page).toMatch(/The key has been changed.*>after<.*60 requests/s)
  expect(page).not.toContain('before')
  expect(await (await visitor.get(`/keys/${id}`)).text()).toContain('name="requestsPerMinute" value="60"')
  const models = await fetch(`${gateway.baseUrl}/api/v1/models`, { headers: { authorization: `Bearer ${key}` } })
  expect(models.status).toBe(200)
})

test('a key is rotated in one step: its successor is shown once, and both work until the old one is deleted', async () => {
  const visitor = await newOwner(root, 'rotates@example.org')
  const { id, key } = await makeKey(visitor, 'rotated')
  const rotated = await visitor.post(`/keys/${id}/rotate`)
  expect([rotated.status, rotated.headers.get('location')]).toEqual([303, '/dashboard/keys'])
  const page = await (await visitor.get('/keys')).text()
  const [next = ''] = /sk-assay-[0-9a-f-]+/.exec(page) ?? []
  expect(page).toContain(`<code>${id}</code>, which works until you delete it`)
  const again = await (await visitor.get('/keys')).text()
  expect([again.match(/>rotated</g)?.length, again.includes('sk-assay-')]).toEqual([2, false])
  const status = async (of: string) =>
    (await fetch(`${gateway.baseUrl}/api/v1/models`, { headers: { authorization: `Bearer ${of}` } })).status
  expect([await status(key), await status(next)]).toEqual([200, 200])
  await visitor.post(`/keys/${id}/delete`)
  expect([await status(key), await status(next)]).toEqual([401, 200])
})
