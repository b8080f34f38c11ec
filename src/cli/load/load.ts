import { writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { version } from '../../fixtures.ts'
import { HarnessError } from '../../harness-error.ts'
import { runShards, type ShardsOptions } from '../../load/engine/shards.ts'
import {
  comparePairs,
  findKnee,
  meetsAll,
  type Repeated,
  type Runner,
  repeatLoad,
  type SweepPoint,
  sweepLoad,
} from '../../load/experiments.ts'
import { mergeResults } from '../../load/figures/result.ts'
import { passwordOf } from '../../load/fleet/fleet.ts'
import { type ProbeResult, runProbe } from '../../load/probes.ts'
import type { LoadPlan } from '../../load/schedule/plan.ts'
import { loadOptions } from '../../options/load.ts'
import { helpOf } from '../../options/parse.ts'
import { loadFormats } from '../../report/load/formats.ts'
import { formulas, type LoadReport, wordsOf } from '../../report/load/report.ts'
import { startEmbedded } from '../../run/embedded.ts'
import { secretsOf, type TargetConfig } from '../../target/config.ts'
import { prepare } from '../../target/prepare.ts'
import { createTarget } from '../../target/target.ts'
import { createRedactor } from '../../wire/redact.ts'
import type { Command, CommandIo, ExitCode } from '../command.ts'
import { createLoadLine } from './progress-line.ts'
import { type LoadSettings, readLoadSettings } from './settings.ts'

/** `assay load`: puts a load on a gateway, judges every stream while it measures it, and knows its own error. */
export const load: Command = {
  help: `assay load [options]\nassay load calibrate    measures this machine's own error\nassay load join REDIS   makes this machine one of a fleet\n\n${helpOf(loadOptions)}\n\nMetrics, each from the send and from the intended start:\n${formulas()}`,
  async run(args, io) {
    if (args[0] === 'join') return (await import('./join.ts')).loadJoin.run(args.slice(1), io)
    if (args[0] === 'calibrate') return (await import('./calibrate.ts')).loadCalibrate.run(args.slice(1), io)
    const settings = readLoadSettings(args, io.env, io.folder)
    if (settings.help) {
      io.out(load.help)
      return 0
    }
    if (settings.baseUrl !== undefined)
      return loadTarget({ ...settings.target, baseUrl: settings.baseUrl }, settings, io)
    const embedded = await startEmbedded({ withNodes: false, pace: 'profile' })
    try {
      const { baseUrl, apiPath, keys, control } = embedded.known
      return await loadTarget(
        {
          ...settings.target,
          ...(control !== undefined && { control }),
          baseUrl,
          apiPath,
          keys: { ...keys, ...settings.target.keys },
        },
        settings,
        io,
      )
    } finally {
      await embedded.close()
    }
  },
}

async function loadTarget(config: TargetConfig, settings: LoadSettings, io: CommandIo): Promise<ExitCode> {
  const passwords = [passwordOf(settings.fleet?.url ?? '') ?? []].flat()
  const startedAt = new Date()
  const start = performance.now()
  const model = await modelOf(config)
  const plan = planFor(config, model, settings)
  if (!settings.quiet)
    io.err(`${wordsOf(plan)}, against ${config.baseUrl}${config.apiPath}, model ${model}; seed ${plan.seed}`)
  const line = createLoadLine(io, settings.quiet)
  const stop = new AbortController()
  const interrupt = (): void => stop.abort()
  process.once('SIGINT', interrupt)
  const run = await runnerOf(settings, {
    onProgress: line.show,
    signal: stop.signal,
    onNotice: (notice) => io.err(notice),
  })
  const onPoint = ({ value, result }: SweepPoint): void => {
    line.end()
    if (!settings.quiet)
      io.err(
        `${settings.variable} ${Math.round(value * 100) / 100}: ttft p95 ${result.metrics.ttft.response.p95.toFixed(1)} ms, ${result.outcomes.sent} sent`,
      )
  }
  const found = await experiment(plan, settings, config, model, { run, onPoint })
  const probes = await probe(plan, settings, config, model)
  line.end()
  process.off('SIGINT', interrupt)
  const report: LoadReport = {
    harness: { name: 'inference-assay', version },
    target: { baseUrl: config.baseUrl, apiPath: config.apiPath, model },
    plan,
    startedAt: startedAt.toISOString(),
    durationMs: Math.round(performance.now() - start),
    gate: gateOf(found, probes),
    machine: { cores: availableParallelism(), node: process.version, platform: `${process.platform} ${process.arch}` },
    ...found,
    ...(probes.length > 0 && { probes }),
  }
  const redactor = createRedactor([...secretsOf(config), ...passwords])
  for (const { format, file } of settings.reports) {
    const text = redactor.text(
      loadFormats[format].render(report, { ...settings, color: settings.color && io.color && file === undefined }),
    )
    if (file === undefined) io.out(text.trimEnd())
    else writeFileSync(file, text)
  }
  return report.gate.exitCode as ExitCode
}

interface RunnerOptions extends ShardsOptions {
  readonly onNotice: (notice: string) => void
}

/** In this process, or on the machines of a fleet. */
async function runnerOf({ fleet }: LoadSettings, { onNotice, ...options }: RunnerOptions): Promise<Runner> {
  if (fleet === undefined) return (plan) => runShards(plan, options)
  // Loaded only where it is asked for: it is the largest thing that a load may need.
  const { fleetRunner } = await import('../../load/fleet/coordinator.ts')
  return fleetRunner({ ...fleet, onNotice })
}

type Found = Pick<LoadReport, 'main' | 'sweep' | 'knee' | 'baseline'>

async function experiment(
  plan: LoadPlan,
  { sweep, findKnee: isKnee, repeat, baseline, variable }: LoadSettings,
  config: TargetConfig,
  model: string,
  { run, onPoint }: { readonly run: Runner; readonly onPoint: (point: SweepPoint) => void },
): Promise<Found> {
  if (sweep !== undefined) {
    const points = await sweepLoad(plan, sweep, run, onPoint)
    return { main: onlyRun(points.at(-1)?.result), sweep: points }
  }
  if (isKnee) {
    const knee = await findKnee(plan, variable === 'rate' ? rateOf(plan) : 1, run, onPoint)
    return {
      main: onlyRun((knee.points.findLast(({ value }) => value === knee.value) ?? knee.points.at(-1))?.result),
      knee,
    }
  }
  if (baseline !== undefined) {
    const other = { ...config, ...baseline }
    const direct = { ...plan, url: urlOf(other), model: baseline.model ?? model }
    const pairs = await comparePairs(direct, plan, Math.max(repeat, 6), run)
    return { main: onlyRun(pairs.through), baseline: { ...pairs, baseUrl: baseline.baseUrl } }
  }
  if (repeat > 1) return { main: await repeatLoad(plan, repeat, run) }
  return { main: onlyRun(mergeResults(plan, await run(plan))) }
}

/** What the contract promises of a busy gateway, each in a load of its own. */
async function probe(
  plan: LoadPlan,
  { probes, target: { settlingMs } }: LoadSettings,
  config: TargetConfig,
  id: string,
): Promise<readonly ProbeResult[]> {
  if (probes.length === 0) return []
  if (config.control === undefined)
    throw new HarnessError('usage', '--probe needs --control, the API that it acts through.')
  const target = createTarget(config)
  const control = target.control(() => undefined)
  try {
    const { roster } = await prepare(target)
    const model = roster.find((listed) => listed.id === id) ?? { id }
    const results: ProbeResult[] = []
    for (const name of probes) results.push(await runProbe(name, { plan, control, model, settlingMs }))
    return results
  } finally {
    await control.undo()
    await target.close()
  }
}

function onlyRun(result: Repeated['result'] | undefined): Repeated {
  if (result === undefined) throw new Error('there was no run')
  return { result, runs: [result], confidence: {} }
}

function rateOf({ arrivals }: LoadPlan): number {
  return arrivals.kind === 'open' ? (arrivals.stages[0]?.to ?? 1) : 1
}

/** The measurement itself comes first: figures that are not valid pass no gate and fail none. */
function gateOf({ main, sweep, knee }: Found, probes: readonly ProbeResult[]): LoadReport['gate'] {
  const { validity, slo, outcomes } = main.result
  if (knee !== undefined) {
    return knee.value === null
      ? { exitCode: 1, reason: 'No load that was tried meets the objectives' }
      : { exitCode: 0, reason: 'The knee was found' }
  }
  const invalid =
    (sweep ?? []).map(({ result }) => result.validity).find(({ verdict }) => verdict === 'invalid') ?? validity
  if (invalid.verdict === 'invalid')
    return { exitCode: 3, reason: `The measurement is not valid: ${invalid.reasons.join('; ')}` }
  if (outcomes.ok === 0) return { exitCode: 3, reason: 'No request ended well: there is nothing to measure' }
  const departed = probes.filter(({ verdict }) => verdict === 'fail').map((one) => one.probe)
  if (departed.length > 0) return { exitCode: 1, reason: `Departs under load: ${departed.join(', ')}` }
  const results = sweep?.map(({ result }) => result) ?? main.runs
  const missed = slo.filter(({ pass }) => !pass)
  if (!results.every(meetsAll)) {
    const names =
      missed.length === 0 ? 'an objective in one of the runs' : missed.map(({ expression }) => expression).join(', ')
    return { exitCode: 1, reason: `Missed: ${names}` }
  }
  return { exitCode: 0, reason: slo.length === 0 ? 'Measured' : 'Every objective was met' }
}

async function modelOf(config: TargetConfig): Promise<string> {
  if (config.model !== undefined) return config.model
  const target = createTarget(config)
  try {
    const { model } = await prepare(target)
    if (model === undefined) throw new HarnessError('usage', 'The gateway lists no model: name one with --model.')
    return model
  } finally {
    await target.close()
  }
}

function urlOf({ baseUrl, apiPath }: Pick<TargetConfig, 'baseUrl' | 'apiPath'>): string {
  return `${baseUrl}${apiPath}/chat/completions`
}

function planFor(config: TargetConfig, model: string, { plan }: LoadSettings): LoadPlan {
  return {
    ...plan,
    url: urlOf(config),
    model,
    headers: {
      'Content-Type': 'application/json',
      Accept: plan.stream ? 'text/event-stream' : 'application/json',
      'User-Agent': `inference-assay/${config.version} run/${config.runId}`,
      ...(config.keys.main !== undefined && { Authorization: `Bearer ${config.keys.main}` }),
      ...Object.fromEntries(config.headers),
    },
  }
}
