import type { LoadPlan } from '../../load/schedule/plan.ts'
import type { TargetConfig } from '../../target/config.ts'
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
