import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type GatewayProcess, startGatewayProcess } from './gateway-process.ts'
import { type Server, startPostgres, startRedis } from './machine.ts'

const servers: Server[] = []
const replicas: GatewayProcess[] = []

beforeAll(async () => {
  servers.push(await startPostgres(), await startRedis())
  const [postgres, redis] = servers.map(({ url }) => url)
  const args = ['--store', postgres ?? '', '--redis', redis ?? '']
  replicas.push(...(await Promise.all([startGatewayProcess(args), startGatewayProcess(args)])))
}, 60_000)

afterAll(async () => {
  await Promise.all(replicas.map((replica) => replica.kill()))
  await Promise.all(servers.map((server) => server.stop()))
})

function pair(): readonly [GatewayProcess, GatewayProcess] {
  const [one, other] = replicas
  if (one === undefined || other === undefined) throw new Error('two replicas were started')
  return [one, other]
}

async function account(creditUsd: string): Promise<string> {
  return (await pair()[0].control<{ id: string }>('POST', '/accounts', { name: 'shared', creditUsd })).id
}

function key(accountId: string, limits: object = {}): Promise<{ id: string; key: string }> {
  return pair()[0].control('POST', `/accounts/${accountId}/keys`, { name: 'shared', ...limits })
}

/** Statuses of many requests at once, half of them to each replica. */
async function burst(count: number, apiKey: string, body: object = {}): Promise<number[]> {
  const [one, other] = pair()
  const answers = Array.from({ length: count }, (_, turn) => (turn % 2 === 0 ? one : other).chat(apiKey, body))
  return (await Promise.all(answers)).map(({ status }) => status)
}

const served = (statuses: readonly number[]): number => statuses.filter((status) => status === 200).length

describe('two replicas on one PostgreSQL and one Redis', () => {
  test('do not overspend an account together', async () => {
    // Each request sets aside at most 0.0000025 USD.
    const id = await account('0.00001')
    const statuses = await burst(100, (await key(id)).key)
    expect(served(statuses)).toBeGreaterThan(0)
    expect(new Set(statuses)).toEqual(new Set([200, 402]))
    const { balance, held } = await pair()[1].control<{ balance: string; held: string }>('GET', `/accounts/${id}`)
    expect(Number(balance)).toBeGreaterThanOrEqual(0)
    expect(held).toBe('0')
    const { entries } = await pair()[0].control<{ entries: { kind: string }[] }>('GET', `/accounts/${id}/entries`)
    expect(entries.filter(({ kind }) => kind === 'charge')).toHaveLength(served(statuses))
  })

  test('share the limits of a key', async () => {
    const { key: limited } = await key(await account('1'), { requestsPerMinute: 10 })
    const statuses = await burst(60, limited)
    expect(served(statuses)).toBe(10)
    expect(new Set(statuses)).toEqual(new Set([200, 429]))
  })

  test('both refuse a key from the moment its deletion is answered', async () => {
    const id = await account('1')
    for (let turn = 0; turn < 5; turn += 1) {
      const made = await key(id)
      expect(served(await burst(8, made.key))).toBe(8)
      await pair()[turn % 2 === 0 ? 0 : 1].control('DELETE', `/keys/${made.id}`)
      expect(new Set(await burst(8, made.key))).toEqual(new Set([401]))
    }
  })

  test('a replica that was frozen through a deletion never accepts the key again', async () => {
    const [one, other] = pair()
    const made = await key(await account('1'))
    expect((await other.chat(made.key)).status).toBe(200)
    other.child.kill('SIGSTOP')
    await one.control('DELETE', `/keys/${made.id}`)
    other.child.kill('SIGCONT')
    const statuses = new Set<number>()
    for (let turn = 0; turn < 20; turn += 1) statuses.add((await other.chat(made.key)).status)
    expect([...statuses].every((status) => status === 401 || status === 503)).toBe(true)
    // It comes back by itself.
    const next = await key(await account('1'))
    await expect.poll(async () => (await other.chat(next.key)).status, { timeout: 10_000 }).toBe(200)
  }, 30_000)

  test('serve the same sessions of the dashboard', async () => {
    const [one, other] = pair()
    const form = await fetch(`${one.baseUrl}/dashboard/sign-up`)
    const [token = ''] = /(?<=name="_csrf" value=")[^"]*/.exec(await form.text()) ?? []
    const opened = await fetch(`${one.baseUrl}/dashboard/sign-up`, {
      method: 'POST',
      redirect: 'manual',
      headers: { cookie: cookiesOf(form) },
      body: new URLSearchParams({ email: 'ada@example.org', password: 'correct horse battery', _csrf: token }),
    })
    expect(opened.status).toBe(303)
    const headers = { cookie: cookiesOf(opened) }
    for (const { baseUrl } of [one, other]) {
      const page = await fetch(`${baseUrl}/dashboard/ledger`, { headers })
      expect(page.status).toBe(200)
      expect(await page.text()).toContain('ada@example.org')
    }
  })
})

function cookiesOf({ headers }: Response): string {
  return headers
    .getSetCookie()
    .map((cookie) => cookie.split(';')[0])
    .join('; ')
}
