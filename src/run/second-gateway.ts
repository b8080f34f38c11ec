import { HarnessError } from '../harness-error.ts'
import { differencesOf } from '../report/conformance/differences.ts'
import type { Report } from '../report/report.ts'
import type { TargetConfig } from '../target/config.ts'
import { prepare } from '../target/prepare.ts'
import { createTarget } from '../target/target.ts'
import type { RunPlan } from './plan.ts'
import { withApiPath } from './subject.ts'

const secondNames = {
  '--base-url': '--against',
  ASSAY_API_KEY: 'ASSAY_AGAINST_KEY',
  '--api-key': '--against-key',
}

/**
 * The configuration of the second gateway: nothing that belongs to the first, least of all its secrets. Throws
 * `HarnessError` where nothing could be judged, before the first gateway is.
 */
export async function reachSecond(
  first: TargetConfig,
  against: NonNullable<RunPlan['against']>,
): Promise<TargetConfig> {
  const { control: _, nodes: __, unavailableModel: ___, model: ____, ...shared } = first
  const { findsApi, ...own } = against
  const config = { ...shared, headers: [], namedBy: secondNames, ...own }
  const found = findsApi ? await withApiPath(config) : config
  const target = createTarget(found)
  await prepare(target).finally(() => target.close())
  return found
}

/** The first report with what differs on the second gateway. Whatever stops the second run, the first is not lost. */
export async function compareWith(first: Report, baseUrl: string, judgeSecond: () => Promise<Report>): Promise<Report> {
  try {
    const second = await judgeSecond()
    const compared = { ...first, against: { baseUrl, differences: differencesOf(first.results, second.results) } }
    if (second.gate.exitCode !== 130) return compared
    return {
      ...compared,
      gate: { ...first.gate, exitCode: 130, reason: `${second.gate.reason} of the second gateway` },
    }
  } catch (error) {
    if (!(error instanceof HarnessError)) throw error
    const exitCode = error.exitCode === 130 || first.gate.exitCode === 0 ? error.exitCode : first.gate.exitCode
    const reason = `${first.gate.reason}; the second gateway was not judged: ${error.detail}`
    return { ...first, gate: { ...first.gate, exitCode, reason } }
  }
}
