import { availableParallelism } from 'node:os'
import { version } from '../../fixtures.ts'
import type { SweepPoint } from '../../load/experiments.ts'
import { passwordOf } from '../../load/fleet/fleet.ts'
import { type LoadFormat, loadFormats } from '../../report/load/formats.ts'
import { type LoadReport, wordsOf } from '../../report/load/report.ts'
import { type Output, writeOutputs } from '../../report/outputs.ts'
import { secretsOf, type TargetConfig } from '../../target/config.ts'
import { createRedactor } from '../../wire/redact.ts'
import type { CommandIo, ExitCode } from '../command.ts'
import { contact } from './contact.ts'
import { experiment, runnerOf } from './experiment.ts'
import { gateOf } from './gate.ts'
import { planFor } from './plan.ts'
import { probe } from './probe.ts'
import { createLoadLine } from './progress-line.ts'
import type { LoadSettings } from './settings.ts'

/** Loads one target from the plan to the report. */
export async function loadTarget(given: TargetConfig, settings: LoadSettings, io: CommandIo): Promise<ExitCode> {
  const startedAt = new Date()
  const start = performance.now()
  const say = (text: string): void => {
    if (!settings.quiet) io.err(text)
  }
  const { config, model } = await contact(given, settings)
  const plan = planFor(config, model, settings)
  say(`${wordsOf(plan)}, against ${config.baseUrl}${config.apiPath}, model ${model}; seed ${plan.seed}`)
  const line = createLoadLine(io, settings.quiet)
  const stop = new AbortController()
  const interrupt = (): void => stop.abort()
  process.once('SIGINT', interrupt)
  const run = await runnerOf(settings, {
    onProgress: line.show,
    signal: stop.signal,
    onNotice: (notice) => io.err(notice),
  })
  const onPoint = (point: SweepPoint): void => {
    line.end()
    say(`${settings.variable} ${pointWords(point)}`)
  }
  const found = await experiment(plan, settings, config, { run, onPoint })
  const probes = await probe(plan, settings, config)
  line.end()
  process.off('SIGINT', interrupt)
  const gate = gateOf(found, probes)
  const isDelivered = deliver(config, settings, io, {
    harness: { name: 'inference-assay', version },
    target: { baseUrl: config.baseUrl, apiPath: config.apiPath, model },
    plan,
    startedAt: startedAt.toISOString(),
    durationMs: Math.round(performance.now() - start),
    gate,
    machine: { cores: availableParallelism(), node: process.version, platform: `${process.platform} ${process.arch}` },
    ...found,
    ...(probes.length > 0 && { probes }),
  })
  return gate.exitCode === 0 && !isDelivered ? 4 : gate.exitCode
}

function pointWords({ value, result }: SweepPoint): string {
  const { metrics, outcomes } = result
  return `${Math.round(value * 100) / 100}: ttft p95 ${metrics.ttft.response.p95.toFixed(1)} ms, ${outcomes.sent} sent`
}

/** Writes every format that was asked for, without secrets. Returns whether all of them were written. */
function deliver(config: TargetConfig, settings: LoadSettings, io: CommandIo, report: LoadReport): boolean {
  const password = passwordOf(settings.fleet?.url ?? '')
  const redactor = createRedactor([...secretsOf(config), ...(password === undefined ? [] : [{ value: password }])])
  const textOf = ({ format, file }: Output<LoadFormat>): string => {
    const color = settings.color && io.color && file === undefined
    return redactor.text(loadFormats[format].render(report, { ...settings, color }))
  }
  const problems = writeOutputs(settings.reports, textOf, (text) => io.out(text))
  for (const problem of problems) io.err(problem)
  const isPrinted = settings.reports.some(({ format, file }) => format === 'terminal' && file === undefined)
  if (problems.length > 0 && !isPrinted) io.err(textOf({ format: 'terminal' }).trimEnd())
  return problems.length === 0
}
