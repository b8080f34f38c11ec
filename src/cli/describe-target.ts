import type { Report } from '../report/report.ts'
import { capabilitiesOf } from '../target/capabilities.ts'
import type { TargetConfig } from '../target/config.ts'
import type { Prepared } from '../target/prepare.ts'

/** The target as a report names it: nothing of its keys but what they make decidable. */
export function describeTarget(config: TargetConfig, { roster, model }: Prepared): Report['target'] {
  return {
    baseUrl: config.baseUrl,
    apiPath: config.apiPath,
    models: roster.map(({ id }) => id),
    model: model ?? null,
    capabilities: [...capabilitiesOf(config)],
  }
}
