import { type NodeOptions, startNode } from '../../../reference-server/node-server/node-server.ts'
import { HarnessError } from '../../harness-error.ts'
import type { NodePlace } from '../../options/node-places.ts'
import type { NodesConfig } from '../../target/config.ts'

export interface OwnNodes {
  readonly config: NodesConfig
  /** Where the gateway reaches them, in the order of their places. */
  readonly urls: readonly string[]
  /** Whether any of them was asked for a reply, and not only whether it is there. */
  wasAsked(): boolean
  /** Whether they refused every request for a reply, because it came without their key. */
  missedTheirKey(): boolean
  /** Whether they refused to say what they serve, because it was asked without their key. */
  refusedTheirList(): boolean
  /** What they were asked and do not have, such as "GET /version". */
  unknown(): readonly string[]
  close(): Promise<void>
}

/** Starts the nodes, each with a control API on a free port of this machine. Checks script those of the first model. */
export async function startOwnNodes(
  places: readonly NodePlace[],
  kind: Pick<NodeOptions, 'nodeKey' | 'dialect'> = {},
): Promise<OwnNodes> {
  const learned = new Map(places.map(({ model }) => [model, new Set<string>()]))
  const started = await Promise.allSettled(
    places.map(({ host, port, model }) =>
      startNode({
        host,
        port,
        control: { host: '127.0.0.1', port: 0 },
        models: [model],
        forwarded: true,
        learned: learned.get(model) ?? new Set(),
        ...kind,
      }),
    ),
  )
  const nodes = started.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
  const close = async (): Promise<void> => {
    await Promise.all(nodes.map((node) => node.close()))
  }
  const failed = started.find((one) => one.status === 'rejected')
  if (failed !== undefined) {
    await close()
    const { reason } = failed
    throw new HarnessError('usage', `--nodes cannot listen: ${reason instanceof Error ? reason.message : reason}.`)
  }
  const model = places[0]?.model ?? ''
  const asked = () => nodes.flatMap((node) => node.records().filter(({ method }) => method === 'POST'))
  return {
    config: {
      model,
      controlUrls: nodes.flatMap(({ controlUrl }, at) =>
        places[at]?.model === model && controlUrl !== undefined ? [controlUrl] : [],
      ),
    },
    urls: nodes.map(({ url }) => url),
    wasAsked: () => asked().length > 0,
    missedTheirKey: () => asked().length > 0 && asked().every(({ status }) => status === 401),
    refusedTheirList: () =>
      nodes.some((node) => node.records().some(({ method, status }) => method === 'GET' && status === 401)),
    unknown: () => {
      const refused = nodes.flatMap((node) => node.records().filter(({ status }) => status === 404))
      return [...new Set(refused.map(({ method, path }) => `${method} ${path}`))]
    },
    close,
  }
}
