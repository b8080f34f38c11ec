import { afterAll, beforeAll, expect, test } from 'vitest'
import { type RunningGateway, startGateway } from '../main.ts'
import { Visitor } from './test-visitor.ts'

let gateway: RunningGateway
let visitor: Visitor

beforeAll(async () => {
  gateway = await startGateway({ dashboard: {} })
  visitor = new Visitor((gateway.dashboard?.url ?? '').replace(/\/$/, ''))
  await visitor.post('/sign-up', { email: 'ada@example.org', password: 'correct horse battery' })
})
afterAll(() => gateway.close())

const turnsOn = (page: string) =>
  [...page.matchAll(/<li class="(user|assistant)"><b>\w+<\/b><p>(.*?)<\/p>/gs)].map(([, role, text]) => [role, text])

test('a chat needs no key and no script, remembers its turns, and is charged to the account', async () => {
  const first = await (
    await visitor.post('/playground', { model: 'small', message: 'One & two', max_tokens: '5' })
  ).text()
  expect(turnsOn(first)[0]).toEqual(['user', 'One &amp; two'])
  expect(turnsOn(first)[1]?.[1]?.length).toBeGreaterThan(3)
  const [, kept = ''] = /name="turns" value="([^"]*)"/.exec(first) ?? []
  const turns = kept.replaceAll('&quot;', '"').replaceAll('&amp;', '&')
  const second = await (
    await visitor.post('/playground', { model: 'large', message: 'And then?', turns, system: 'Be brief.' })
  ).text()
  expect(turnsOn(second).map(([role]) => role)).toEqual(['user', 'assistant', 'user', 'assistant'])
  expect(second).toContain('Be brief.</textarea>')
  const usage = await (await visitor.get('/usage.csv')).text()
  expect(usage).toMatch(/,Playground,small,1,\d+,5,/)
  expect(usage).toMatch(/,Playground,large,1,/)
})

test('what the gateway refuses is said, and what was typed stays', async () => {
  const answer = await visitor.post('/playground', {
    model: 'small',
    message: 'Hello',
    temperature: 'hot',
    turns: 'broken',
  })
  expect(answer.status).toBe(400)
  const page = await answer.text()
  expect(page).toMatch(/role="alert">temperature /)
  expect(page).toContain('name="temperature" inputmode="decimal" value="hot"')
  expect(page).toContain('required>Hello</textarea>')
})

test('a stream passes through as it comes', async () => {
  const page = await (await visitor.get('/playground')).text()
  const [token = ''] = /(?<=name="_csrf" value=")[^"]*/.exec(page) ?? []
  const body = new URLSearchParams({ _csrf: token, model: 'small', message: 'Hello', max_tokens: '6' })
  const answer = await visitor.ask('/playground', { method: 'POST', headers: { accept: 'text/event-stream' }, body })
  expect(answer.headers.get('content-type')).toContain('text/event-stream')
  expect(await answer.text()).toMatch(/^data: \{.*data: \[DONE\]\n\n$/s)
})
