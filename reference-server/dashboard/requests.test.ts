import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type RunningGateway, startGateway } from '../main.ts'
import { makeKey, Visitor } from './test-visitor.ts'

let gateway: RunningGateway
let visitor: Visitor
let key: string
const newVisitor = (of: RunningGateway): Visitor => new Visitor((of.dashboard?.url ?? '').replace(/\/$/, ''))
const signUp = (who: Visitor) => who.post('/sign-up', { email: 'ada@example.org', password: 'correct horse battery' })

beforeAll(async () => {
  gateway = await startGateway({ dashboard: {} })
  visitor = newVisitor(gateway)
  await signUp(visitor)
  key = (await makeKey(visitor, 'laptop')).key
})
afterAll(() => gateway.close())

async function ask(body: object, path = 'chat/completions'): Promise<Response> {
  const answer = await fetch(`${gateway.baseUrl}/api/v1/${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}` },
    body: JSON.stringify({ messages: [{ role: 'user', content: 'A private word.' }], max_tokens: 4, ...body }),
  })
  await answer.text()
  return answer
}

/** The page as rows of cells, without markup. */
async function rowsAt(query = ''): Promise<readonly (readonly string[])[]> {
  const text = await (await visitor.get(`/requests${query}`)).text()
  const [, body = ''] = /<tbody>(.*)<\/tbody>/s.exec(text) ?? []
  return body
    .split('</tr>')
    .slice(0, -1)
    .map((row) =>
      [...row.matchAll(/<t[hd][^>]*>(.*?)<\/t[hd]>/gs)].map(([, cell = '']) => cell.replace(/<[^>]*>/g, '')),
    )
}

const idOf = (cells: readonly string[] = []): string => /req_\w+/.exec(cells[0] ?? '')?.[0] ?? ''

test('each request is a row: streams, refusals and failures, and never a word of what was said', async () => {
  const streamed = await ask({ model: 'small', stream: true })
  for (const body of [{ model: 'large' }, { model: 'small', temperature: 9 }, { model: 'nowhere' }]) {
    // The log knows when a request began to a millisecond or two.
    await sleep(20)
    await ask(body)
  }
  await expect.poll(async () => (await rowsAt()).length).toBe(4)
  const rows = await rowsAt()
  expect(rows.map((cells) => cells.slice(1, 4))).toEqual([
    ['laptop', '–', '404 model_not_found'],
    ['laptop', '–', '400 invalid_value'],
    ['laptop', 'large', '200'],
    ['laptop', 'small', '200'],
  ])
  expect(rows[3]?.[4]).toMatch(/^[\d.]+ m?s$/)
  expect(rows[3]?.[6]).toMatch(/^\d+ \+ 4$/)
  expect(rows[3]?.[7]).toMatch(/^\$0\.0000\d+$/)
  expect(idOf(rows[3])).toBe(streamed.headers.get('x-request-id'))
  expect(rows[0]?.slice(6, 8)).toEqual(['–', '–'])
  const page = await (await visitor.get('/requests')).text()
  expect(page).not.toMatch(new RegExp(`private|${key}`))

  expect((await rowsAt('?outcome=refused')).length).toBe(2)
  expect((await rowsAt('?model=large')).length).toBe(1)
  expect((await rowsAt(`?id=${idOf(rows[3])}`)).map((cells) => cells[2])).toEqual(['small'])
  expect((await rowsAt(`?before=${idOf(rows[2])}`)).map((cells) => cells[2])).toEqual(['small'])
  expect((await rowsAt('?until=2020-01-01')).length).toBe(0)
  expect((await rowsAt('?until=nonsense&outcome=odd')).length).toBe(4)

  const file = (await (await visitor.get('/requests.csv?model=small')).text()).trim().split('\r\n')
  expect(file).toHaveLength(2)
  expect(file[1]).toMatch(/Z,req_[0-9a-f]+,[0-9a-f]+,laptop,small,ok,200,,\d+,\d+,\d+,4,0\.0000\d+$/)
})

test('without a log the page says so', async () => {
  const bare = await startGateway({ dashboard: {}, requestLogDays: 0 })
  const guest = newVisitor(bare)
  await signUp(guest)
  expect(await (await guest.get('/requests')).text()).toContain('This gateway keeps no log of requests')
  await bare.close()
})
