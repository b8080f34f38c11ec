import { HarnessError } from '../../harness-error.ts'
import type { LoadPlan } from '../../load/schedule/plan.ts'
import type { TargetConfig } from '../../target/config.ts'
import { prepare } from '../../target/prepare.ts'
import { createTarget } from '../../target/target.ts'
import type { LoadSettings } from './settings.ts'

/** Completes the settings' plan with what the target decides: its address, its key and its model. */
export function planFor(config: TargetConfig, model: string, { plan }: LoadSettings): LoadPlan {
  return {
    ...plan,
    url: completionsUrl(config),
    model,
    headers: {
      'Content-Type': 'application/json',
      Accept: plan.stream ? 'text/event-stream' : 'application/json',
      'User-Agent': `inference-assay/${config.version} run/${config.runId}`,
      ...(config.keys.main !== undefined && { Authorization: `Bearer ${config.keys.main}` }),
      ...Object.fromEntries(config.headers),
    },
  }
}

export function completionsUrl({ baseUrl, apiPath }: Pick<TargetConfig, 'baseUrl' | 'apiPath'>): string {
  return `${baseUrl}${apiPath}/chat/completions`
}

/** The model that was named, or the cheapest listed one that answers. */
export async function modelOf(config: TargetConfig): Promise<string> {
  if (config.model !== undefined) return config.model
  const target = createTarget(config)
  try {
    const { model } = await prepare(target)
    if (model === undefined) throw new HarnessError('usage', 'The gateway lists no model: name one with --model.')
    return model
  } finally {
    await target.close()
  }
}
