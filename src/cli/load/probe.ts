import { HarnessError } from '../../harness-error.ts'
import { type ProbeResult, runProbe } from '../../load/probes.ts'
import type { LoadPlan } from '../../load/schedule/plan.ts'
import { unlessInterrupted } from '../../run/interruption.ts'
import type { TargetConfig } from '../../target/config.ts'
import { prepare } from '../../target/prepare.ts'
import { createTarget } from '../../target/target.ts'
import type { Stopping } from '../signals.ts'
import type { LoadSettings } from './settings.ts'

/** Checks what the contract promises of a busy gateway, each promise in its own load, until the run is stopped. */
export async function probe(
  plan: LoadPlan,
  { probes, target: { settlingMs } }: LoadSettings,
  config: TargetConfig,
  { signal, note }: Stopping,
  notice: (line: string) => void,
): Promise<readonly ProbeResult[]> {
  if (probes.length === 0 || signal.aborted) return []
  const target = createTarget(config)
  target.open.watch(note)
  const control = target.control(() => undefined)
  const results: ProbeResult[] = []
  try {
    const { roster } = await unlessInterrupted(prepare(target), signal)
    const model = roster.find(({ id }) => id === plan.model) ?? { id: plan.model }
    for (const name of probes)
      results.push(await unlessInterrupted(runProbe(name, { plan, control, model, settlingMs, signal }), signal))
    return results
  } catch (error) {
    if (error instanceof HarnessError && error.code === 'interrupted') return results
    throw error
  } finally {
    for (const left of await control.undo()) notice(`Left on the target, because it could not be undone: ${left}`)
    await target.close()
  }
}
