import { join, relative } from 'node:path'
import { checks } from '../../suites/index.ts'
import type { Check } from '../check/check.ts'
import { costUsd, refuseAbove, worstCase } from '../check/cost.ts'
import { gate } from '../check/gate.ts'
import { secretsOf } from '../check/judge.ts'
import type { SealedResult } from '../check/sealed.ts'
import { version } from '../fixtures.ts'
import { type Report, summarize } from '../report/report.ts'
import type { TargetConfig } from '../target/config.ts'
import { type Prepared, prepare } from '../target/prepare.ts'
import { createTarget } from '../target/target.ts'
import { createRedactor } from '../wire/redact.ts'
import { refreshBaseline } from './baseline-file.ts'
import type { CommandIo } from './command.ts'
import type { ConformanceSettings } from './conformance-options.ts'
import { describeTarget } from './describe-target.ts'
import { createProgress } from './progress.ts'
import { runInVitest } from './vitest-runner.ts'

/** One run of the selected checks against one target, gated and described; nothing is delivered yet. */
export async function judgeTarget(
  config: TargetConfig,
  selected: readonly Check[],
  settings: ConformanceSettings,
  io: CommandIo,
): Promise<Report> {
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
  return {
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
    prepared,
    summary: summarize(results),
    results: results.map((result) => {
      const entry = known.get(result.id)
      return entry === undefined ? result : { ...result, known: entry }
    }),
  }
}

async function contact(config: TargetConfig): Promise<Prepared> {
  const target = createTarget(config)
  try {
    return await prepare(target)
  } finally {
    await target.close()
  }
}

function inOrder(selected: readonly Check[], results: readonly SealedResult[]): readonly SealedResult[] {
  return selected.flatMap(({ id }) => results.find((result) => result.id === id) ?? [])
}
