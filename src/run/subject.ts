import { optional } from '../options/target.ts'
import type { TargetConfig } from '../target/config.ts'
import { findApi } from '../target/contact/find-api.ts'
import { reachControl } from '../target/contact/reach-control.ts'
import type { Embedded } from './embedded.ts'
import { unlessInterrupted } from './interruption.ts'
import { untilNodesAreNoticed } from './nodes/noticed.ts'
import type { RunPlan } from './plan.ts'

/** The gateway under test and everything that was started for it. */
export interface Subject {
  readonly config: TargetConfig
  close(): Promise<void>
}

/** Starts what a plan needs: our nodes behind an existing gateway, or the embedded gateway with everything. */
export async function bringUp(
  {
    baseUrl,
    target,
    nodes: places,
    nodeKey,
    nodeDialect,
    findsApi = false,
  }: Pick<RunPlan, 'baseUrl' | 'target' | 'nodes' | 'nodeKey' | 'nodeDialect' | 'findsApi'>,
  signal?: AbortSignal,
): Promise<Subject> {
  if (baseUrl === undefined) {
    // Loaded only where they are needed: most targets stand by themselves.
    const { startEmbedded } = await import('./embedded.ts')
    const embedded = await startEmbedded(optional({ nodeDialect }))
    return { config: withEmbedded(target, embedded), close: embedded.close }
  }
  const kind = optional({ nodeKey, dialect: nodeDialect })
  const takeTheCallersKey = nodeKey !== undefined && nodeKey === target.keys.main
  const nodes =
    places === undefined ? undefined : await (await import('./nodes/own-nodes.ts')).startOwnNodes(places, kind)
  const close = async (): Promise<void> => nodes?.close()
  try {
    const known = nodes && { ...nodes.config, takeTheCallersKey, ...optional({ key: nodeKey }) }
    const config = { ...target, baseUrl, ...optional({ nodes: known }) }
    await unlessInterrupted(reachControl(config), signal)
    const met = async (): Promise<TargetConfig> => {
      if (nodes !== undefined) return await untilNodesAreNoticed(config, nodes, { findsApi })
      return findsApi ? await withApiPath(config) : config
    }
    return { config: await unlessInterrupted(met(), signal), close }
  } catch (error) {
    await close()
    throw error
  }
}

/** The configuration with the path where the API was found. */
export async function withApiPath(config: TargetConfig): Promise<TargetConfig> {
  return { ...config, apiPath: await findApi(config) }
}

/** The embedded gateway with all that is known of it; what the user gives takes precedence. */
function withEmbedded(target: RunPlan['target'], { known }: Embedded): TargetConfig {
  const { unavailableModel, control } = target
  return {
    ...target,
    ...known,
    ...(unavailableModel !== undefined && { unavailableModel }),
    ...(control !== undefined && { control }),
    keys: { ...known.keys, ...target.keys },
  }
}
