import { systemClock } from '../../../reference-server/clock.ts'
import { defaultModels } from '../../../reference-server/gateway/models.ts'
import type { Call, Seams, Wrap } from '../../../reference-server/gateway/seams.ts'
import { type GatewayOptions, startGateway } from '../../../reference-server/main.ts'
import type { Fragments } from '../../../reference-server/network/node.ts'
import { simulateNode } from '../../../reference-server/network/simulated-node.ts'
import type { KeyRecord } from '../../../reference-server/store/store.ts'
import { slowly } from '../requests.ts'

/** The reference gateway with much of one thing: `AXIS SIZE STORE`. It prints its port and a key. */
const [axis = '', sizeText = '', store = 'memory'] = process.argv.slice(2)
const size = Number(sizeText)
/** How much is made at once. */
const batch = 1000

/** What fills the gateway goes the way of the control API and of requests, but not over HTTP. */
const inside: Partial<Pick<Seams, 'openAccount' | 'createKey' | 'hold' | 'charge'>> = {}
const noting: Wrap = {
  openAccount(real) {
    inside.openAccount = real
    return real
  },
  createKey(real) {
    inside.createKey = real
    return real
  },
  hold(real) {
    inside.hold = real
    return real
  },
  charge(real) {
    inside.charge = real
    return real
  },
}

const models = Array.from({ length: axis === 'models' ? size : 0 }, (_, at) => ({
  id: `model-${at}`,
  ownedBy: 'bench',
  contextWindow: 8192,
  price: 0.1,
}))
const nodes = Array.from({ length: axis === 'nodes' ? size : 0 }, (_, at) => ({
  id: `node-${at}`,
  url: 'http://127.0.0.1:9',
  models: ['small'],
}))

/** Nodes answer in this process, at whatever address they are; to those who ask for it, with a first word and no more. */
const node = simulateNode(systemClock, { id: 'any', serves: [], seed: 1, pace: 'instant' })
const answering: Wrap = {
  generate: () => (_, job, signal) =>
    job.messages[0]?.content === slowly ? neverEnding(signal) : node.generate(job, signal),
}
async function* neverEnding(signal: AbortSignal): Fragments {
  yield { text: 'Once ', tokens: 1 }
  await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
  return 'stop'
}

const options: GatewayOptions = {
  store,
  metrics: {},
  wraps: [noting, answering],
  models: [...models, ...defaultModels],
  nodes,
  simulated: true,
  // A stream that was told to is silent for as long as the bench takes.
  nodeLimits: { gapMs: 3_600_000 },
}
const gateway = await startGateway(options)
const { openAccount, createKey, hold, charge } = inside
if (openAccount === undefined || createKey === undefined || hold === undefined || charge === undefined)
  throw new Error('the gateway has these seams')

const limits = { requestsPerMinute: 1e9, tokensPerMinute: 1e9 }
const credit = 1_000_000_000_000_000_000n as Parameters<Seams['openAccount']>[1]
async function newKey(accountId: string): Promise<{ readonly record: KeyRecord; readonly key: string }> {
  const made = await createKey?.(accountId, { name: 'bench', ...limits })
  if (made === undefined) throw new Error('the account is open')
  return made
}

const account = await openAccount('bench', credit)
const own = await newKey(account.id)
const filling: Readonly<Record<string, () => Promise<unknown>>> = {
  accounts: async () => newKey((await openAccount('another', credit)).id),
  keys: () => newKey(account.id),
  async entries() {
    const [model] = defaultModels
    const call = { caller: { key: own.record }, model } as Call
    const cost = 1_000_000n as Parameters<Seams['charge']>[1]
    await charge(await hold(cost, { key: own.record }, call), cost, { promptTokens: 5, completionTokens: 5 }, call)
  },
}
const fill = filling[axis]
if (fill !== undefined)
  for (let made = 0; made < size; made += batch)
    await Promise.all(Array.from({ length: Math.min(batch, size - made) }, fill))
process.stdout.write(`${new URL(gateway.baseUrl).port} ${own.key}\n`)
