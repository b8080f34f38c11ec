import { type GatewayOptions, type RunningGateway, startGateway } from '../reference-server/main.ts'
import { HarnessError } from './harness-error.ts'
import { conformanceOptions } from './options/conformance.ts'
import type { Report } from './report/report.ts'
import { deliver, tryDelivery } from './run/deliver.ts'
import { run } from './run/run.ts'
import { readSettings } from './run/settings.ts'

export type { GatewayOptions, RunningGateway } from '../reference-server/main.ts'
export { type NodeOptions, startNode } from '../reference-server/node-server/node-server.ts'
export type { RunningNode } from '../reference-server/node-server/running-node.ts'
export { HarnessError } from './harness-error.ts'
export type { Report } from './report/report.ts'

export interface ReferenceGatewayOptions extends GatewayOptions {
  /** Faults and variants by their names, as the command `faults` lists them: the gateway is wrong, or odd, in these ways. */
  readonly faults?: readonly string[]
}

/**
 * Starts the reference gateway in this process, on a free port of 127.0.0.1 unless one is given, with its books in memory.
 * Throws `HarnessError` (`exitCode` 2) for a fault that does not exist.
 */
export async function startReferenceGateway(options: ReferenceGatewayOptions = {}): Promise<RunningGateway> {
  const { faults = [], wraps = [], ...rest } = options
  if (faults.length === 0) return startGateway({ wraps, ...rest })
  // The catalogue of all faults takes longer to load than the gateway to start.
  const { askedWraps } = await import('../detection/asked-wraps.ts')
  return startGateway({ wraps: [...wraps, ...askedWraps(faults, 'faults:')], ...rest })
}

/** The options of `assay conformance` by their names: texts, numbers, lists of texts, or `true` for a flag. */
export type JudgeOptions = { readonly 'base-url': string } & Readonly<
  Record<string, string | number | boolean | readonly string[] | undefined>
>

/** Options that are only useful at a terminal. */
const ofTheTerminal: readonly string[] = ['list', 'help', 'quiet', 'verbose', 'no-color']

/**
 * Tests a gateway against the contract, in this thread, and resolves to the report that the command would write as
 * JSON. Files are written only if `evidence` or `report` names them; one that cannot be written is a warning of the process. Nothing is read from the environment. Throws
 * `HarnessError` for a mistake in an option (`exitCode` 2), and if nothing can be judged (3).
 */
export async function judge(options: JudgeOptions): Promise<Report> {
  const settings = readSettings(argumentsOf(options), {}, process.cwd())
  const { plan } = settings
  const delivery = {
    ...settings.delivery,
    reports: settings.delivery.reports.filter(({ file }) => file !== undefined),
    quiet: true,
  }
  const err = (line: string): void => process.emitWarning(line)
  const isWriting = delivery.evidence.isAsked || delivery.reports.length > 0
  if (isWriting) tryDelivery(delivery, err)
  const report = await run(plan, { notice: err })
  if (isWriting) deliver(report, delivery, { out: () => {}, err, color: false })
  return report
}

function argumentsOf(options: JudgeOptions): readonly string[] {
  return Object.entries(options).flatMap(([name, value]) => {
    if (!(name in conformanceOptions)) throw new HarnessError('usage', `"${name}" is not an option.`)
    if (ofTheTerminal.includes(name)) throw new HarnessError('usage', `judge() does not take "${name}".`)
    if (name === 'report' && [value].flat().some((one) => !String(one).includes('=')))
      throw new HarnessError('usage', 'judge() prints nothing: "report" must name a file, as in "json=run.json".')
    if (value === undefined || value === false) return []
    if (value === true) return [`--${name}`]
    return [value].flat().map((one) => `--${name}=${one}`)
  })
}
