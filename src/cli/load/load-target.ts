import { availableParallelism } from 'node:os'
import { version } from '../../fixtures.ts'
import type { SweepPoint } from '../../load/experiments.ts'
import { interruptedResult, wasInterrupted } from '../../load/figures/result.ts'
import { passwordOf } from '../../load/fleet/fleet.ts'
import type { LoadPlan } from '../../load/schedule/plan.ts'
import { type LoadFormat, loadFormats } from '../../report/load/formats.ts'
import { type LoadReport, triedWords } from '../../report/load/report.ts'
import { deliverOutputs, type Output } from '../../report/outputs.ts'
import { unlessInterrupted } from '../../run/interruption.ts'
import { secretsOf, type TargetConfig } from '../../target/config.ts'
import { createRedactor, redactData } from '../../wire/redact.ts'
import type { CommandIo, ExitCode } from '../command.ts'
import { stopOnSignal } from '../signals.ts'
import { contact, contactBaseline } from './contact.ts'
import { experiment, type Found, runnerOf } from './experiment.ts'
import { gateOf } from './gate.ts'
import { planFor } from './plan.ts'
import { probe } from './probe.ts'
import { createLoadLine } from './progress-line.ts'
import type { LoadSettings } from './settings.ts'

/** Loads one target from the plan to the report. */
export async function loadTarget(given: TargetConfig, settings: LoadSettings, io: CommandIo): Promise<ExitCode> {
  const startedAt = new Date()
  const start = performance.now()
  const password = passwordOf(settings.fleet?.url ?? '')
  const redactor = createRedactor([...secretsOf(given), ...(password === undefined ? [] : [{ value: password }])])
  const say = (text: string): void => {
    if (!settings.quiet) io.err(redactor.text(text))
  }
  const stopping = stopOnSignal(io, 'no more requests are started, and those under way may end')
  const { signal } = stopping
  const met = await unlessInterrupted(contact(given, settings), signal)
  const baseline = await unlessInterrupted(contactBaseline(met, settings), signal)
  const { config, model } = met
  const plan = planFor(config, model, settings)
  const tried = settings.findKnee
    ? `searching for the knee, ${plan.durationMs / 1000} s a load`
    : triedWords(plan, settings.sweep ?? [])
  say(`${tried}, against ${config.baseUrl}${config.apiPath}, model ${model}; seed ${plan.seed}`)
  const isOne =
    settings.sweep === undefined && !settings.findKnee && settings.baseline === undefined && settings.repeat === 1
  const line = createLoadLine(io, settings.quiet, isOne ? plan.durationMs : undefined)
  signal.addEventListener('abort', line.end)
  const run = await runnerOf(settings, {
    onProgress: line.show,
    signal,
    onNotice: (notice) => io.err(notice),
  })
  const onPoint = (point: SweepPoint): void => {
    line.end()
    say(`${settings.variable} ${pointWords(point)}`)
  }
  const measured = await experiment(plan, settings, baseline, { run, onPoint })
  const probes = await probe(plan, settings, config, stopping, io.err)
  const found = signal.aborted ? brokenOff(measured, plan) : measured
  line.end()
  const gate = gateOf(found, probes)
  const report: LoadReport = {
    harness: { name: 'inference-assay', version },
    target: { baseUrl: config.baseUrl, apiPath: config.apiPath, model },
    plan,
    startedAt: startedAt.toISOString(),
    durationMs: Math.round(performance.now() - start),
    gate,
    machine: { cores: availableParallelism(), node: process.version, platform: `${process.platform} ${process.arch}` },
    ...found,
    ...(probes.length > 0 && { probes }),
  }
  const isDelivered = deliver(redactData(report, redactor), settings, io)
  return gate.exitCode === 0 && !isDelivered ? 4 : gate.exitCode
}

/** A run that was stopped after its measurement is as little complete as one that was stopped during it. */
function brokenOff(found: Found, plan: LoadPlan): Found {
  const { result } = found.main
  if (wasInterrupted(result)) return found
  return { ...found, main: { ...found.main, result: interruptedResult(result, plan) } }
}

function pointWords({ value, result }: SweepPoint): string {
  const { metrics, outcomes } = result
  return `${Math.round(value * 100) / 100}: ttft p95 ${metrics.ttft.response.p95.toFixed(1)} ms, ${outcomes.sent} sent`
}

/** Writes every format that was asked for. Returns whether all of them were written. */
function deliver(report: LoadReport, settings: LoadSettings, io: CommandIo): boolean {
  const textOf = ({ format, file }: Output<LoadFormat>): string => {
    const color = settings.color && io.color && file === undefined
    return loadFormats[format].render(report, { ...settings, color })
  }
  const ending = (): string => loadFormats.terminal.render(report, { color: settings.color && io.color, quiet: true })
  return deliverOutputs(settings.reports, { textOf, ending, quiet: settings.quiet }, io)
}
