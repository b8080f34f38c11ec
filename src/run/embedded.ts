import { defaultModels } from '../../reference-server/gateway/models.ts'
import { type GatewayOptions, type RunningGateway, startGateway } from '../../reference-server/main.ts'
import type { DialectName } from '../../reference-server/node-server/dialect/dialects.ts'
import { optional } from '../options/target.ts'
import type { TargetConfig } from '../target/config.ts'
import { startOwnNodes } from './nodes/own-nodes.ts'

/** The reference gateway in this process, with everything that a check can need: keys, control API, our nodes. */
export interface Embedded {
  readonly gateway: RunningGateway
  /** What is known of it, to be merged into a configuration. */
  readonly known: Pick<TargetConfig, 'baseUrl' | 'apiPath' | 'keys' | 'unavailableModel' | 'control' | 'nodes'>
  close(): Promise<void>
}

/** A model on two operator nodes that the checks script; the other models have simulated nodes. */
const scripted = { id: 'scripted', ownedBy: 'assay', contextWindow: 131_072, price: 0.2 }

interface EmbeddedOptions extends Pick<GatewayOptions, 'seed' | 'wraps' | 'nodeLimits' | 'onBug' | 'pace'> {
  /** Without our nodes, every model has a simulated one. */
  readonly withNodes?: boolean
  /** The engine whose shapes our nodes take. */
  readonly nodeDialect?: DialectName | undefined
}

export async function startEmbedded({
  withNodes = true,
  nodeDialect,
  ...options
}: EmbeddedOptions = {}): Promise<Embedded> {
  const place = { host: '127.0.0.1', port: 0, model: scripted.id }
  const nodes = withNodes ? await startOwnNodes([place, place], optional({ dialect: nodeDialect })) : undefined
  const gateway = await startGateway({
    demo: true,
    control: {},
    // Its only client is the run that judges it: however often that is refused, nobody else has to be protected from it.
    refusalsPerMinute: 0,
    ...(nodes !== undefined && {
      models: [...defaultModels, scripted],
      nodes: nodes.urls.map((url, at) => ({ id: `node-${at}`, url, models: [scripted.id] })),
      simulated: true,
    }),
    ...options,
  }).catch(async (error: unknown) => {
    await nodes?.close()
    throw error
  })
  const { demo, control } = gateway
  if (demo === undefined || control === undefined) throw new Error('the embedded gateway has no keys or no control API')
  return {
    gateway,
    known: {
      baseUrl: new URL(gateway.baseUrl).origin,
      apiPath: '/api/v1',
      unavailableModel: demo.unavailableModel,
      control,
      ...(nodes !== undefined && { nodes: nodes.config }),
      keys: {
        main: demo.apiKey,
        second: demo.secondKey,
        revoked: demo.revokedKey,
        unfunded: demo.unfundedKey,
        limited: demo.limitedKey,
      },
    },
    async close() {
      await gateway.close()
      await nodes?.close()
    },
  }
}
