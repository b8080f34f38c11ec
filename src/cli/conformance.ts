import { writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { checks } from '../../suites/index.ts'
import type { Check } from '../check/check.ts'
import { costUsd, refuseAbove, worstCase } from '../check/cost.ts'
import { gate } from '../check/gate.ts'
import { secretsOf } from '../check/judge.ts'
import type { SealedResult } from '../check/sealed.ts'
import { selectChecks } from '../check/select.ts'
import { readContract, version } from '../fixtures.ts'
import { writeEvidence } from '../report/evidence.ts'
import { type Report, summarize } from '../report/report.ts'
import { capabilitiesOf } from '../target/capabilities.ts'
import type { TargetConfig } from '../target/config.ts'
import { type Prepared, prepare } from '../target/prepare.ts'
import { createTarget } from '../target/target.ts'
import { createRedactor } from '../wire/redact.ts'
import { openBaseline, refreshBaseline } from './baseline-file.ts'
import type { Command, CommandIo, ExitCode } from './command.ts'
import { type ConformanceSettings, readConformanceSettings } from './conformance-options.ts'
import { conformanceOptions } from './conformance-table.ts'
import { type Embedded, startEmbedded } from './embedded.ts'
import { renderList } from './list.ts'
import { helpOf } from './options.ts'
import { startOwnNodes } from './own-nodes.ts'
import { createProgress } from './progress.ts'
import { renderReport } from './render-report.ts'
import { runInVitest } from './vitest-runner.ts'

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
      return await judgeTarget(config, selected, settings, io)
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
    return await judgeTarget(embeddedConfig(settings, embedded), selected, settings, io)
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

async function judgeTarget(
  config: TargetConfig,
  selected: readonly Check[],
  settings: ConformanceSettings,
  io: CommandIo,
): Promise<ExitCode> {
  const startedAt = new Date()
  const start = performance.now()
  const prepared = await contact(config)
  const worst = worstCase(selected, settings.randomness.runs, prepared)
  refuseAbove(settings.costUsdMax, worst)
  if (!settings.quiet) {
    const price = worst.usd === null ? 'an unlisted price' : `$${worst.usd.toFixed(4)}`
    io.err(
      `${selected.length} checks against ${config.baseUrl}${config.apiPath}; at most ${worst.tokens} tokens, ${price}; seed ${settings.randomness.seed}`,
    )
  }
  const progress = createProgress(selected.length, io, settings.quiet)
  const spent = performance.now() - start
  const outcome = await runInVitest(
    {
      config: { ...config, durationMsMax: Math.max(1, config.durationMsMax - spent) },
      prepared,
      randomness: settings.randomness,
      selected: selected.map(({ id }) => id),
      keepAll: settings.evidence !== undefined,
    },
    progress.show,
  )
  progress.end()
  const results = inOrder(selected, outcome.results)
  const known = refreshBaseline(settings, checks, results)
  const decided = gate(results, { ...settings, known })
  const verdict =
    outcome.problems.length > 0 && decided.exitCode === 0
      ? { exitCode: 4 as const, reason: 'the harness itself failed' }
      : decided
  const redactor = createRedactor(secretsOf(config))
  for (const problem of outcome.problems) io.err(redactor.text(problem))
  const report: Report = {
    harness: { name: 'inference-assay', version },
    contract: 'v1',
    target: describeTarget(config, prepared),
    run: {
      startedAt: startedAt.toISOString(),
      durationMs: Math.round(performance.now() - start),
      ...settings.randomness,
      ...outcome.spending,
      costUsd: costUsd(outcome.spending.tokens, prepared),
    },
    evidenceFolder: relative(io.folder, settings.evidence ?? join(io.folder, 'assay-evidence')) || '.',
    gate: { level: settings.level, ...verdict },
    summary: summarize(results),
    results: results.map((result) => {
      const entry = known.get(result.id)
      return entry === undefined ? result : { ...result, known: entry }
    }),
  }
  deliver(report, config, settings, io)
  return verdict.exitCode
}

async function contact(config: TargetConfig): Promise<Prepared> {
  const target = createTarget(config)
  try {
    return await prepare(target)
  } finally {
    await target.close()
  }
}

function describeTarget(config: TargetConfig, { roster, model }: Prepared): Report['target'] {
  return {
    baseUrl: config.baseUrl,
    apiPath: config.apiPath,
    models: roster.map(({ id }) => id),
    model: model ?? null,
    capabilities: [...capabilitiesOf(config)],
  }
}

function inOrder(selected: readonly Check[], results: readonly SealedResult[]): readonly SealedResult[] {
  return selected.flatMap(({ id }) => results.find((result) => result.id === id) ?? [])
}

function deliver(report: Report, config: TargetConfig, settings: ConformanceSettings, io: CommandIo): void {
  const failed = report.results.some(({ verdict }) => verdict.kind === 'fail' || verdict.kind === 'error')
  const evidence = settings.evidence ?? (failed ? join(io.folder, 'assay-evidence') : undefined)
  if (evidence !== undefined) writeEvidence(evidence, report, config.unavailableModel)
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
