import { startGateway } from '../../../reference-server/main.ts'

/** What `hammered.ts` prints besides its port, as JSON: keys. */
export interface HammeredKeys {
  readonly others: string
  readonly limited: string
  readonly unfunded: string
  readonly funded: string
}

/** The reference gateway with the refusals a minute of its argument. */
const [refusalsPerMinute] = process.argv.slice(2).map(Number)
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

async function keyOf(creditUsd: string, limits: object = {}): Promise<string> {
  const { id } = await post('/accounts', { name: 'bench', creditUsd })
  const { key = '' } = await post(`/accounts/${id}/keys`, { name: 'bench', ...limits })
  return key
}

const made: HammeredKeys = {
  others: await keyOf('100000', { requestsPerMinute: 1e9, tokensPerMinute: 1e9 }),
  limited: await keyOf('100000', { requestsPerMinute: 1 }),
  unfunded: await keyOf('0'),
  funded: await keyOf('100000'),
}
process.stdout.write(`${new URL(gateway.baseUrl).port} ${JSON.stringify(made)}\n`)
