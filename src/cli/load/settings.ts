import { randomInt } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { resolve } from 'node:path'
import { didYouMean } from '../../did-you-mean.ts'
import { version } from '../../fixtures.ts'
import { HarnessError } from '../../harness-error.ts'
import { readRedisUrl } from '../../load/fleet/fleet.ts'
import { type ProbeName, probeNames } from '../../load/probes.ts'
import type { Arrivals, Stage } from '../../load/schedule/arrivals.ts'
import { type Objective, readObjectives } from '../../load/schedule/objective.ts'
import type { LoadPlan } from '../../load/schedule/plan.ts'
import { readTrace } from '../../load/schedule/trace.ts'
import { loadOptions } from '../../options/load.ts'
import { parseOptions, type Values } from '../../options/parse.ts'
import { readProfile } from '../../options/profile.ts'
import { refusePositionals } from '../../options/refuse-positionals.ts'
import { readReports } from '../../options/report.ts'
import { optional, readControlAddress, readHeader, readTargetAddress } from '../../options/target.ts'
import { type LoadFormat, loadFormats } from '../../report/load/formats.ts'
import { type Output, reasonOf } from '../../report/outputs.ts'
import type { ControlConfig, TargetConfig } from '../../target/config.ts'

/** What varies from run to run: the connections in a closed loop, the rate in an open one. */
type Variable = 'connections' | 'rate'

/** The server behind the gateway. */
interface Baseline extends Pick<TargetConfig, 'baseUrl' | 'apiPath' | 'model'> {
  readonly findsApi: boolean
}

export interface LoadSettings {
  readonly baseUrl?: string
  readonly target: Omit<TargetConfig, 'baseUrl'>
  /** Whether the API path of the target is only the likeliest one. */
  readonly findsApi: boolean
  /** The longest silence of the first contact: shorter than under load, because nobody sees anything meanwhile. */
  readonly contactSilenceMs: number
  /** All of the plan except what the target decides. */
  readonly plan: Omit<LoadPlan, 'url' | 'headers' | 'model'>
  readonly variable: Variable
  readonly sweep?: readonly number[]
  readonly findKnee: boolean
  readonly repeat: number
  readonly baseline?: Baseline
  readonly probes: readonly ProbeName[]
  readonly fleet?: { readonly url: string; readonly workers: number }
  readonly reports: readonly Output<LoadFormat>[]
  readonly help: boolean
  readonly quiet: boolean
  readonly color: boolean
}

/** What measures something else than a gateway, as the word after `load`. */
export const subCommands = ['calibrate', 'join'] as const

type LoadValues = Values<typeof loadOptions>

export function readLoadSettings(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  folder: string,
): LoadSettings {
  const { values: given, positionals } = parseOptions(loadOptions, args, env)
  refusePositionals(positionals, subCommands)
  const values: LoadValues = {
    ...(given.profile === undefined ? {} : readProfile(resolve(folder, given.profile), loadOptions)),
    ...given,
  }
  const { baseUrl, apiPath, isDecided } = readTargetAddress(values['base-url'], values['api-path'])
  const objectives = readObjectives(values.slo ?? '')
  const plan = readPlan(values, objectives, folder)
  const isOpen = plan.arrivals.kind !== 'closed'
  refuseContradictions(values, objectives)
  return {
    ...optional({ baseUrl }),
    target: targetOf(values, apiPath),
    findsApi: !isDecided,
    contactSilenceMs: values.timeout ?? 10_000,
    plan,
    variable: isOpen ? 'rate' : 'connections',
    ...(values.sweep !== undefined && { sweep: readNumbers('--sweep', values.sweep) }),
    findKnee: values['find-knee'] ?? false,
    repeat: values.repeat ?? 1,
    ...(values['baseline-url'] !== undefined && { baseline: readBaseline(values, values['baseline-url']) }),
    probes: readProbes(values.probe),
    ...(values.fleet !== undefined && {
      fleet: { url: readRedisUrl('--fleet', values.fleet), workers: values.workers ?? 1 },
    }),
    reports: readReports(loadFormats, values.report, folder),
    help: values.help ?? false,
    quiet: values.quiet ?? false,
    color: !(values['no-color'] ?? false),
  }
}

function readPlan(values: LoadValues, objectives: readonly Objective[], folder: string): LoadSettings['plan'] {
  const arrivals = readArrivals(values, folder)
  const traceMs = arrivals.kind === 'trace' ? Math.max(...arrivals.entries.map(({ atMs }) => atMs)) + 1 : undefined
  const durationMs = values.duration === undefined ? (traceMs ?? 10_000) : values.duration * 1000
  const idleMs = values.timeout ?? 30_000
  return {
    stream: values.stream !== 'off',
    maxTokens: values['max-tokens'] ?? 64,
    promptChars: values['prompt-chars'] ?? 200,
    arrivals,
    durationMs,
    ...(values.requests !== undefined && { requestsMax: values.requests }),
    warmupMs: values.warmup === undefined ? Math.min(5000, durationMs / 10) : values.warmup * 1000,
    drainMs: (values.drain ?? 30) * 1000,
    limits: {
      connectMs: Math.min(10_000, idleMs),
      headMs: idleMs,
      firstContentMs: Math.max(60_000, idleMs),
      idleMs,
      totalMs: values['total-timeout'] ?? 300_000,
    },
    validateShare: values.validate === 'full' ? 1 : 0.01,
    objectives,
    leavingShare: readShare('--leaving', values.leaving ?? '0%'),
    seed: values.seed ?? randomInt(2 ** 31),
    insecure: values.insecure ?? false,
    shards: values.shards ?? Math.max(1, availableParallelism() - 1),
    stamped: false,
  }
}

function readArrivals(values: LoadValues, folder: string): Arrivals {
  const { arrivals = 'poisson', rate, steps, connections } = values
  const connectionsMax = connections ?? 1000
  if (arrivals.startsWith('trace=')) {
    const file = resolve(folder, arrivals.slice('trace='.length))
    return { kind: 'trace', entries: readTrace(readText('--arrivals', file)), connectionsMax }
  }
  const [, process, shape] = /^(constant|poisson|gamma)(?::(\d+(?:\.\d+)?))?$/.exec(arrivals) ?? []
  if (process === undefined || (shape !== undefined && (process !== 'gamma' || Number(shape) === 0)))
    throw new HarnessError(
      'usage',
      `--arrivals must be constant, poisson, gamma[:SHAPE] or trace=FILE, got "${arrivals}".`,
    )
  if (rate === undefined && steps === undefined) {
    if (values.arrivals !== undefined) throw new HarnessError('usage', `--arrivals ${process} needs --rate or --steps.`)
    return { kind: 'closed', connections: connections ?? 16 }
  }
  return {
    kind: 'open',
    process: process as 'constant' | 'poisson' | 'gamma',
    ...(shape !== undefined && { shape: Number(shape) }),
    stages: readStages(rate, steps, (values.duration ?? 10) * 1000),
    connectionsMax,
  }
}

function readStages(rate: string | undefined, steps: string | undefined, durationMs: number): readonly Stage[] {
  if (steps !== undefined) {
    const rates = readNumbers('--steps', steps)
    return rates.map((one) => ({ durationMs: durationMs / rates.length, from: one, to: one }))
  }
  const [, from, to] = /^(\d+(?:\.\d+)?)(?:\.\.(\d+(?:\.\d+)?))?(?:\/s)?$/.exec(rate ?? '') ?? []
  if (from === undefined || (Number(from) === 0 && Number(to ?? 0) === 0))
    throw new HarnessError('usage', `--rate must be above 0 and look like 20, 20/s or 5..50, got "${rate}".`)
  return [{ durationMs, from: Number(from), to: Number(to ?? from) }]
}

/** How long the first contact with a target may take: several silences, and no more than this. */
const contact = { silences: 4, msMax: 60_000 }

function targetOf(values: LoadValues, apiPath: string): LoadSettings['target'] {
  const timeoutMs = values.timeout ?? 30_000
  return {
    apiPath,
    keys: optional({ main: values['api-key'] }),
    ...optional({ model: values.model, control: readControl(values) }),
    headers: (values.header ?? []).map(readHeader),
    insecure: values.insecure ?? false,
    timeoutMs,
    concurrency: 8,
    requestsMax: 100,
    load: true,
    long: false,
    settlingMs: (values.settling ?? 10) * 1000,
    durationMsMax: Math.min(contact.msMax, contact.silences * timeoutMs),
    runId: randomInt(2 ** 40).toString(36),
    version,
  }
}

function readControl(values: LoadValues): ControlConfig | undefined {
  const address = readControlAddress(values.control, values['control-token'])
  const restart = values['restart-command']
  if (restart === undefined) return address
  return address === undefined ? { hooks: { restart } } : { ...address, restartCommand: restart }
}

function readBaseline(values: LoadValues, url: string): NonNullable<LoadSettings['baseline']> {
  const path = values['baseline-api-path'] ?? values['api-path']
  const { baseUrl = '', apiPath, isDecided } = readTargetAddress(url, path, '--baseline-url')
  return { baseUrl, apiPath, findsApi: !isDecided, ...optional({ model: values['baseline-model'] }) }
}

function refuseContradictions(values: LoadValues, objectives: readonly Objective[]): void {
  const refuse = (why: string): never => {
    throw new HarnessError('usage', why)
  }
  if (values['find-knee'] === true && objectives.length === 0)
    refuse('--find-knee needs --slo, which says what a load must meet.')
  const experiments = (['sweep', 'find-knee', 'baseline-url'] as const).filter((name) => values[name] !== undefined)
  if (experiments.length > 1) refuse(`--${experiments.join(' and --')} cannot be combined.`)
  if (values.fleet !== undefined && experiments.length > 0)
    refuse(`--fleet and --${experiments[0]} cannot be combined.`)
  const canRestart = values.probe?.trim() === 'deploy' && values['restart-command'] !== undefined
  if (values.probe !== undefined && values['base-url'] !== undefined && values.control === undefined && !canRestart)
    refuse('--probe needs --control, the API that probes act through (deploy by itself: or --restart-command).')
  if (values['restart-command'] !== undefined && values['base-url'] === undefined)
    refuse('--restart-command needs --base-url: the embedded gateway is restarted through its control API.')
  if (values.rate !== undefined && values.steps !== undefined) refuse('--rate and --steps cannot be combined.')
}

function readProbes(text: string | undefined): readonly ProbeName[] {
  if (text === undefined) return []
  // Whoever asks for all of them does not ask for an outage.
  if (text === 'all') return probeNames.filter((name) => name !== 'deploy')
  return text.split(',').map((one) => {
    const name = probeNames.find((known) => known === one.trim())
    if (name === undefined)
      throw new HarnessError(
        'usage',
        `--probe must be all or a list of ${probeNames.join(', ')}; got "${one}".${didYouMean(one.trim(), probeNames)}`,
      )
    return name
  })
}

function readNumbers(option: string, text: string): readonly number[] {
  const numbers = text.split(',').map((one) => Number(one.trim() || Number.NaN))
  if (!numbers.every((one) => Number.isFinite(one) && one > 0))
    throw new HarnessError('usage', `${option} must be numbers above 0, like 1,2,4, got "${text}".`)
  return numbers
}

function readShare(option: string, text: string): number {
  const share = Number(/^(\d+(?:\.\d+)?)%$/.exec(text)?.[1] ?? Number.NaN) / 100
  if (!(share >= 0 && share <= 1)) throw new HarnessError('usage', `${option} must be a share like 5%, got "${text}".`)
  return share
}

function readText(option: string, file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new HarnessError('unreadable', `${option}: ${file} cannot be read: ${reasonOf(error)}.`)
  }
}
