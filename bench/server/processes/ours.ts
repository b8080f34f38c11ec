import { startGateway } from '../../../reference-server/main.ts'
import { paced } from './paced.ts'

/** The reference gateway with everything on: `STORE [URL OF A NODE]`. It prints its port, and a key that has limits. */
const [store = 'memory', node] = process.argv.slice(2)

const gateway = await startGateway({
  demo: true,
  store,
  control: {},
  metrics: {},
  wraps: [paced],
  ...(node !== undefined && { nodes: [{ id: 'node', url: node, models: ['small'] }] }),
})
const key = await limitedKey()
process.stdout.write(`${new URL(gateway.baseUrl).port} ${key}\n`)

/** A key of an account that can pay for the whole run, with limits that the run does not reach. */
async function limitedKey(): Promise<string> {
  const { url = '', token = '' } = gateway.control ?? {}
  const post = async (path: string, body: object): Promise<Record<string, unknown>> => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const answer = await fetch(`${url}/control/v1${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
    if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`)
    return (await answer.json()) as Record<string, unknown>
  }
  const account = await post('/accounts', { name: 'bench', creditUsd: '100000' })
  const limits = { requestsPerMinute: 1e9, tokensPerMinute: 1e9 }
  const { key: made } = await post(`/accounts/${account['id']}/keys`, { name: 'bench', ...limits })
  return String(made)
}
