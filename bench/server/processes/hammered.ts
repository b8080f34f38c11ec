import { startGateway } from '../../../reference-server/main.ts'

/** What `hammered.ts` prints besides its port, as JSON. Of the keys that are refused each list has a key for each burst. */
export interface HammeredKeys {
  readonly others: string
  readonly limited: readonly string[]
  readonly unfunded: readonly string[]
  readonly funded: readonly string[]
}

/** The reference gateway with the refusals a minute of its first argument, and as many keys of each kind as its second says. */
const [refusalsPerMinute, count] = process.argv.slice(2).map(Number)
const gateway = await startGateway({
  demo: true,
  control: {},
  metrics: {},
  ...(refusalsPerMinute !== undefined && { refusalsPerMinute }),
})

async function post(path: string, body: object): Promise<Record<string, string>> {
  const headers = { authorization: `Bearer ${gateway.control?.token}`, 'content-type': 'application/json' }
  const url = `${gateway.control?.url}/control/v1${path}`
  const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })
  if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`)
  return (await answer.json()) as Record<string, string>
}

async function keys(creditUsd: string, limits: object = {}): Promise<readonly string[]> {
  const { id } = await post('/accounts', { name: 'bench', creditUsd })
  const making = Array.from({ length: count ?? 1 }, () => post(`/accounts/${id}/keys`, { name: 'bench', ...limits }))
  return (await Promise.all(making)).map(({ key = '' }) => key)
}

const made: HammeredKeys = {
  others: (await keys('100000', { requestsPerMinute: 1e9, tokensPerMinute: 1e9 }))[0] ?? '',
  limited: await keys('100000', { requestsPerMinute: 1 }),
  unfunded: await keys('0'),
  funded: await keys('100000'),
}
process.stdout.write(`${new URL(gateway.baseUrl).port} ${JSON.stringify(made)}\n`)
