import { type RunningGateway, type RunningNode, startNode, startReferenceGateway } from '../../src/index.ts'
import { chatPath } from '../../src/target/chat.ts'
import type { Seen } from './protocol.ts'

/** The gateway that every client meets, with a node behind it that says what a script tells it to. */
export interface Stand {
  readonly baseUrl: string
  readonly apiKey: string
  readonly node: RunningNode
  readonly scriptedModel: string
  readonly unavailableModel: string
  /** A key of its own whose limit is spent: the next request has to wait. */
  spentKey(): Promise<string>
  /** What a plain request is answered, to hold a client's text against. */
  plainText(model: string, prompt: string): Promise<string>
  modelIds(): Promise<readonly string[]>
  /** How many requests have ended since `seen` was last called. */
  asked(): number
  /** Those requests, and forgets them. */
  seen(sinceMs: number): readonly Seen[]
  close(): Promise<void>
}

const requestsPerMinute = 20
const models = [
  { id: 'small', ownedBy: 'assay', contextWindow: 131_072, price: 0.1 },
  { id: 'scripted', ownedBy: 'assay', contextWindow: 131_072, price: 0.2 },
]

export async function openStand(): Promise<Stand> {
  const node = await startNode({ models: ['scripted'] })
  const ended: Seen[] = []
  const gateway: RunningGateway = await startReferenceGateway({
    demo: true,
    control: {},
    models,
    nodes: [{ id: 'scripted', url: node.url, models: ['scripted'] }],
    simulated: true,
    onRequest({ status, left, durationMs }) {
      ended.push({ status, left, atMs: performance.now() - durationMs })
    },
  })
  const baseUrl = `${gateway.baseUrl}/api/v1`
  const apiKey = gateway.demo?.apiKey ?? ''

  const control = async (path: string, body: object): Promise<Record<string, string>> => {
    const headers = { authorization: `Bearer ${gateway.control?.token}`, 'content-type': 'application/json' }
    const response = await fetch(`${gateway.control?.url}/control/v1${path}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    })
    return (await response.json()) as Record<string, string>
  }
  const ask = (key: string, model: string, content: string): Promise<Response> =>
    fetch(`${baseUrl}${chatPath}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model, messages: [{ role: 'user', content }] }),
    })

  return {
    baseUrl,
    apiKey,
    node,
    scriptedModel: 'scripted',
    unavailableModel: gateway.demo?.unavailableModel ?? '',
    async spentKey() {
      const account = await control('/accounts', { name: 'clients', creditUsd: '1' })
      const { key = '' } = await control(`/accounts/${account['id']}/keys`, { name: 'limited', requestsPerMinute })
      for (;;) {
        const response = await ask(key, 'small', 'Hi')
        await response.text()
        if (response.status !== 200 && response.status !== 429) throw new Error(`a new key gets ${response.status}`)
        if (response.status === 429) return key
      }
    },
    async plainText(model, prompt) {
      const { choices } = (await (await ask(apiKey, model, prompt)).json()) as Completion
      return choices[0].message.content
    },
    async modelIds() {
      const response = await fetch(`${baseUrl}/models`, { headers: { authorization: `Bearer ${apiKey}` } })
      return ((await response.json()) as ModelList).data.map(({ id }) => id)
    },
    asked: () => ended.length,
    seen: (sinceMs) =>
      ended.splice(0).map((request) => ({ ...request, atMs: Math.max(0, Math.round(request.atMs - sinceMs)) })),
    async close() {
      await gateway.close()
      await node.close()
    },
  }
}

interface Completion {
  readonly choices: readonly [{ readonly message: { readonly content: string } }]
}

interface ModelList {
  readonly data: readonly { readonly id: string }[]
}
