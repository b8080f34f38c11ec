import { HarnessError } from '../../harness-error.ts'
import { type ProbeResult, runProbe } from '../../load/probes.ts'
import type { LoadPlan } from '../../load/schedule/plan.ts'
import type { TargetConfig } from '../../target/config.ts'
import { prepare } from '../../target/prepare.ts'
import { createTarget } from '../../target/target.ts'
import type { LoadSettings } from './settings.ts'

/** Checks what the contract promises of a busy gateway, each promise in its own load. */
export async function probe(
  plan: LoadPlan,
  { probes, target: { settlingMs } }: LoadSettings,
  config: TargetConfig,
): Promise<readonly ProbeResult[]> {
  if (probes.length === 0) return []
  if (config.control === undefined)
    throw new HarnessError('usage', '--probe needs --control, the API that probes act through.')
  const target = createTarget(config)
  const control = target.control(() => undefined)
  try {
    const { roster } = await prepare(target)
    const model = roster.find(({ id }) => id === plan.model) ?? { id: plan.model }
    const results: ProbeResult[] = []
    for (const name of probes) results.push(await runProbe(name, { plan, control, model, settlingMs }))
    return results
  } finally {
    await control.undo()
    await target.close()
  }
}
