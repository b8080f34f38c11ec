import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { checks } from '../../suites/index.ts'
import type { Check } from '../check/check.ts'
import { selectChecks } from '../check/select.ts'
import { readContract } from '../fixtures.ts'
import { differencesOf } from '../report/differences.ts'
import { writeEvidence } from '../report/evidence.ts'
import type { Report } from '../report/report.ts'
import type { TargetConfig } from '../target/config.ts'
import { openBaseline } from './baseline-file.ts'
import type { Command, CommandIo, ExitCode } from './command.ts'
import { type ConformanceSettings, readConformanceSettings } from './conformance-options.ts'
import { conformanceOptions } from './conformance-table.ts'
import { type Embedded, startEmbedded } from './embedded.ts'
import { judgeTarget } from './judge-target.ts'
import { renderList } from './list.ts'
import { helpOf } from './options.ts'
import { startOwnNodes } from './own-nodes.ts'
import { renderReport } from './render-report.ts'

/** `assay conformance`: holds a gateway against the contract and reports, clause by clause. */
export const conformance: Command = {
  summary: 'hold a gateway against the contract, clause by clause',
  help: `assay conformance [options]\n\n${helpOf(conformanceOptions)}`,
  async run(args, io) {
    const settings = readConformanceSettings(args, io.env, io.folder)
    if (settings.help) {
      io.out(conformance.help)
      return 0
    }
    const selected = selectChecks(checks, settings.selection)
    // A file that is wrong is said before the run, not behind it.
    openBaseline(settings, checks)
    if (settings.list) {
      io.out(renderList(readContract(), selected))
      return 0
    }
    if (settings.baseUrl === undefined) return judgeEmbedded(settings, selected, io)
    const nodes = settings.nodes === undefined ? undefined : await startOwnNodes(settings.nodes, settings.nodeKey)
    const config = {
      ...settings.target,
      baseUrl: settings.baseUrl,
      ...(nodes !== undefined && { nodes: nodes.config }),
    }
    try {
      return await judgeAndDeliver(config, selected, settings, io)
    } finally {
      await nodes?.close()
    }
  },
}

async function judgeEmbedded(
  settings: ConformanceSettings,
  selected: readonly Check[],
  io: CommandIo,
): Promise<ExitCode> {
  const embedded = await startEmbedded()
  try {
    return await judgeAndDeliver(embeddedConfig(settings, embedded), selected, settings, io)
  } finally {
    await embedded.close()
  }
}

/** The embedded gateway with all that is known of it; what the user gives goes before. */
export function embeddedConfig({ target }: Pick<ConformanceSettings, 'target'>, { known }: Embedded): TargetConfig {
  return { ...target, ...known, ...optionalOf(target), keys: { ...known.keys, ...target.keys } }
}

/** Of what the embedded gateway knows, that which the user named otherwise. */
function optionalOf({ unavailableModel, control }: ConformanceSettings['target']): Partial<TargetConfig> {
  return { ...(unavailableModel !== undefined && { unavailableModel }), ...(control !== undefined && { control }) }
}

/** Judges, and the second gateway beside it where there is one; the exit code is the first one's. */
async function judgeAndDeliver(
  config: TargetConfig,
  selected: readonly Check[],
  settings: ConformanceSettings,
  io: CommandIo,
): Promise<ExitCode> {
  const report = await judgeTarget(config, selected, settings, io)
  deliver(await comparedWith(report, config, selected, settings, io), config, settings, io)
  return report.gate.exitCode as ExitCode
}

async function comparedWith(
  report: Report,
  config: TargetConfig,
  selected: readonly Check[],
  { against, ...settings }: ConformanceSettings,
  io: CommandIo,
): Promise<Report> {
  if (against === undefined) return report
  const { knownFailures: _, ...same } = settings
  const other = await judgeTarget({ ...againstConfig(config), ...against }, selected, same, io)
  const differences = differencesOf(report.results, other.results)
  return { ...report, against: { baseUrl: against.baseUrl, differences } }
}

/** What a second gateway is judged with: nothing that is the first one's own, least of all its secrets. */
function againstConfig({
  control: _,
  nodes: __,
  unavailableModel: ___,
  model: ____,
  ...config
}: TargetConfig): TargetConfig {
  return { ...config, keys: {}, headers: [] }
}

function deliver(report: Report, config: TargetConfig, settings: ConformanceSettings, io: CommandIo): void {
  const failed = report.results.some(({ verdict }) => verdict.kind === 'fail' || verdict.kind === 'error')
  const evidence = settings.evidence ?? (failed ? join(io.folder, 'assay-evidence') : undefined)
  if (evidence !== undefined) writeEvidence(evidence, report, config)
  for (const { format, file } of settings.reports) {
    const text = renderReport(format, report, {
      ...settings,
      color: settings.color && io.color && file === undefined,
      ...(file !== undefined && { file }),
    })
    if (file === undefined) io.out(text.trimEnd())
    else writeFileSync(file, text)
  }
  if (evidence !== undefined && !settings.quiet) io.err(`Evidence is in ${evidence}.`)
}
