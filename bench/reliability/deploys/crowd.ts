import { setTimeout as sleep } from 'node:timers/promises'
import { startNode } from '../../../reference-server/node-server/node-server.ts'
import type { RunningNode } from '../../../reference-server/node-server/running-node.ts'
import { expectCharges, unitsPerToken } from '../books.ts'
import { openClient, type Seen } from '../client.ts'

/** What clients saw, by what it is called in the table. */
export interface Tally {
  whole: number
  /** A 503 that says when to come back, by the code of its error. */
  readonly refused: Map<string, number>
  /** Anything else, in words, with how often. */
  readonly failed: Map<string, number>
}

export interface Crowd {
  readonly tally: Tally
  /** What the account's books have wrong once everybody has gone. */
  readonly charged: ReturnType<typeof expectCharges>
  /** Lets everybody finish, and resolves when they have. */
  leave(): Promise<void>
}

/** After a 503. Less than its Retry-After, to keep the gateway busy. */
const againMs = 1000

/** A node whose streams take about five seconds. */
export async function startSlowNode(): Promise<RunningNode> {
  const node = await startNode({ models: ['small'] })
  node.script('deploy', { fragments: ['word '], repeat: 12, timing: { firstToken: 50, gap: 450 } })
  node.script('short', { fragments: ['word '], repeat: 4, timing: { firstToken: 5, gap: 5 } })
  return node
}

/** `clients` who ask for one reply after the other on connections that they keep; each `mixed`th wants short JSON instead of a stream. */
export function startCrowd(
  { baseUrl, key }: { readonly baseUrl: string; readonly key: string },
  { clients, mixed = 0 }: { readonly clients: number; readonly mixed?: number },
): Crowd {
  const client = openClient(baseUrl)
  const tally: Tally = { whole: 0, refused: new Map(), failed: new Map() }
  const charged = expectCharges()
  let isOver = false
  const note = (seen: Seen): void => {
    charged.note(seen, unitsPerToken.small)
    const { status, ending, retryAfter, code } = seen
    if (status === 200 && ending === 'whole') tally.whole += 1
    else if (status === 503 && ending === 'whole' && retryAfter !== undefined) count(tally.refused, code ?? 'no code')
    else count(tally.failed, `${status === 0 ? '' : `${status} `}${ending}`)
  }
  const lanes = Array.from({ length: clients }, async (_, at) => {
    const isShort = mixed > 0 && at % mixed === 0
    const content = isShort ? 'assay-script-short' : 'assay-script-deploy'
    const options = isShort ? {} : { stream: true, stream_options: { include_usage: true } }
    const body = { model: 'small', messages: [{ role: 'user', content }], max_tokens: 100, ...options }
    // Not all at once.
    await sleep((at * 1000) / clients)
    while (!isOver) {
      const seen = await client.chat({ key, body })
      note(seen)
      await sleep(seen.status === 200 ? 1 : againMs)
    }
  })
  return {
    tally,
    charged,
    async leave() {
      isOver = true
      await Promise.all(lanes)
      client.close()
    },
  }
}

/** Everything that must not happen, in words: refusals too, unless they have this code. */
export function failuresOf({ failed, refused }: Tally, allowedCode?: string): readonly string[] {
  const wrongly = [...refused].filter(([code]) => code !== allowedCode)
  return [
    ...[...failed].map(([words, times]) => `${times} requests ended as: ${words}`),
    ...wrongly.map(([code, times]) => `${times} requests were refused: 503 ${code}`),
  ]
}

function count(counts: Map<string, number>, what: string): void {
  counts.set(what, (counts.get(what) ?? 0) + 1)
}
