import { optional } from '../options/target.ts'
import type { TargetConfig } from '../target/config.ts'
import type { Embedded } from './embedded.ts'
import type { RunPlan } from './plan.ts'

/** The gateway under test and everything that was started for it. */
export interface Subject {
  readonly config: TargetConfig
  close(): Promise<void>
}

/** Starts what a plan needs: our nodes behind an existing gateway, or the embedded gateway with everything. */
export async function bringUp({
  baseUrl,
  target,
  nodes: places,
  nodeKey,
  nodeDialect,
}: Pick<RunPlan, 'baseUrl' | 'target' | 'nodes' | 'nodeKey' | 'nodeDialect'>): Promise<Subject> {
  if (baseUrl === undefined) {
    // Loaded only where they are needed: most targets stand by themselves.
    const { startEmbedded } = await import('./embedded.ts')
    const embedded = await startEmbedded(optional({ nodeDialect }))
    return { config: withEmbedded(target, embedded), close: embedded.close }
  }
  const kind = optional({ nodeKey, dialect: nodeDialect })
  const nodes = places === undefined ? undefined : await (await import('./own-nodes.ts')).startOwnNodes(places, kind)
  return {
    config: { ...target, baseUrl, ...(nodes !== undefined && { nodes: nodes.config }) },
    close: async () => nodes?.close(),
  }
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
