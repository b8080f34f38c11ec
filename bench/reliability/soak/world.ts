import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeKey, Visitor } from '../../../reference-server/dashboard/test-visitor.ts'
import { type GatewayProcess, startGatewayProcess } from '../../../reference-server/integration/gateway-process.ts'
import { startNode } from '../../../reference-server/node-server/node-server.ts'
import { faultKinds } from '../../../reference-server/node-server/script/script-schema.ts'
import { type Client, openClient } from '../client.ts'

/** A gateway process on SQLite with its nodes and everybody who uses it. */
export interface World {
  readonly gateway: GatewayProcess
  readonly client: Client
  readonly accountId: string
  readonly key: string
  /** A key whose account is empty. */
  readonly emptyKey: string
  /** Signed in to the dashboard, with a key of their account. */
  readonly owner: Visitor
  readonly ownersKey: string
  readonly operator: Visitor
  /** Ends the nodes' idle connections, which the gateway keeps for later. */
  leaveNodes(): Promise<void>
  close(): Promise<void>
}

/**
 * As `docs/reference-gateway.md` advises for a small container. Left to itself, V8 would fill a good part of a large machine
 * before it looks for garbage; what leaked would fill this.
 */
const heap = '--max-old-space-size=128 --max-semi-space-size=4'

/** Four events a second for ten seconds. */
const steady = { fragments: ['word '], repeat: 40, timing: { firstToken: 100, gap: 250 } }
/** Longer than the gateway waits before it lets its client hear something. */
const late = { fragments: ['late ', 'word'], timing: { firstToken: 18_000, gap: 10 } }

export interface GatewayToSoak {
  /** Further options. */
  readonly gatewayArgs?: readonly string[]
  /** The command; by default the checkout's. */
  readonly assay?: string
}

export async function startWorld({ gatewayArgs = [], assay }: GatewayToSoak = {}): Promise<World> {
  const folder = mkdtempSync(join(tmpdir(), 'assay-soak-'))
  const served = ['small', 'small', 'medium', 'medium', 'large']
  const nodes = await Promise.all(served.map((model) => startNode({ models: [model] })))
  for (const node of nodes) {
    node.script('steady', steady)
    node.script('late', late)
    for (const kind of faultKinds)
      node.script(kind, {
        fragments: ['word '],
        repeat: 8,
        timing: { firstToken: 20, gap: 20 },
        fault: { kind, afterChunks: 3 },
      })
  }
  const args = [
    ...['--store', `sqlite:${join(folder, 'books.sqlite')}`, '--dashboard', '127.0.0.1:0'],
    ...nodes.flatMap(({ url }, at) => ['--node', `${url}=${served[at]}`]),
    ...gatewayArgs,
  ]
  const gateway = await startGatewayProcess(args, { NODE_OPTIONS: heap }, assay)
  const people = await meetPeople(gateway)
  const client = openClient(gateway.baseUrl)
  // Their memory is not what is measured, but records of an hour would be most of it.
  const forgetting = setInterval(() => {
    for (const node of nodes) node.clearRecords()
  }, 10_000)
  return {
    gateway,
    client,
    ...people,
    async leaveNodes() {
      await Promise.all(nodes.map((node) => node.setState('refuse')))
    },
    async close() {
      clearInterval(forgetting)
      client.close()
      await gateway.kill()
      await Promise.all(nodes.map((node) => node.close()))
      rmSync(folder, { recursive: true })
    },
  }
}

async function meetPeople(gateway: GatewayProcess) {
  const { dashboardUrl, operatorPassword } = gateway.addresses
  const account = async (creditUsd: string): Promise<{ id: string; key: string }> => {
    const { id } = await gateway.control<{ id: string }>('POST', '/accounts', { name: 'soak', creditUsd })
    return { id, key: (await gateway.control<{ key: string }>('POST', `/accounts/${id}/keys`, { name: 'soak' })).key }
  }
  const [rich, poor] = [await account('100000'), await account('0')]
  const root = dashboardUrl.replace(/\/$/, '')
  const [owner, operator] = [new Visitor(root), new Visitor(root)]
  await owner.post('/sign-up', { email: 'owner@example.org', password: 'correct horse battery' }, '/sign-up')
  await owner.post('/fund', { amount: '100000' }, '/')
  await operator.post('/operator/sign-in', { password: operatorPassword }, '/operator/sign-in')
  const ownersKey = (await makeKey(owner, 'soak')).key
  return { accountId: rich.id, key: rich.key, emptyKey: poor.key, owner, ownersKey, operator }
}
