import { randomInt } from 'node:crypto'
import { resolve } from 'node:path'
import type { Randomness } from '../check/property.ts'
import type { Selection } from '../check/select.ts'
import { version } from '../fixtures.ts'
import { HarnessError } from '../harness-error.ts'
import type { ControlConfig, TargetConfig } from '../target/config.ts'
import { verbs } from '../target/control.ts'
import type { ControlHooks } from '../target/control-hooks.ts'
import { isRecord } from '../target/json.ts'
import { conformanceOptions } from './conformance-table.ts'
import { parseOptions, readValue, type Values } from './options.ts'
import { type NodePlace, readPlaces } from './own-nodes.ts'
import { readProfile, type SpecialReader } from './profile.ts'
import { optional, readControlAddress, readHeader, readTargetAddress } from './target-options.ts'

export const reportFormats = [
  'terminal',
  'json',
  'junit',
  'html',
  'markdown',
  'sarif',
  'github',
  'badge',
  'passport',
] as const
export type ReportFormat = (typeof reportFormats)[number]

type RawValues = Omit<Values<typeof conformanceOptions>, 'load'> & {
  readonly load?: boolean | { readonly minEventsPerS: number }
  readonly checks?: string
  readonly 'control-commands'?: ControlHooks
}

/** What a profile holds beside options. */
const special: Readonly<Record<string, SpecialReader>> = {
  'control-commands': readCommands,
  load: readLoad,
  checks: (raw, where) => readValue(where, { kind: 'text', value: '', about: '' }, raw),
}

export interface ConformanceSettings {
  /** Absent for the embedded reference gateway. */
  readonly baseUrl?: string
  /** All of the target but its address. */
  readonly target: Omit<TargetConfig, 'baseUrl'>
  /** A second gateway, judged in the same way. */
  readonly against?: Pick<TargetConfig, 'baseUrl' | 'apiPath' | 'keys'>
  /** Nodes to start before the run. */
  readonly nodes?: readonly NodePlace[]
  readonly nodeKey?: string
  readonly randomness: Randomness
  readonly selection: Selection
  readonly level: 'must' | 'should'
  readonly allowUndecided: boolean
  /** The release whose checks gate. */
  readonly checksOf?: string
  readonly knownFailures?: string
  readonly updateKnownFailures: boolean
  readonly costUsdMax: number
  readonly reports: readonly { readonly format: ReportFormat; readonly file?: string }[]
  readonly evidence?: string
  readonly list: boolean
  readonly help: boolean
  readonly quiet: boolean
  readonly verbose: boolean
  readonly color: boolean
}

/** Reads flags, then the environment, then the profile. */
export function readConformanceSettings(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  folder: string,
): ConformanceSettings {
  const { values: given, positionals } = parseOptions(conformanceOptions, args, env)
  if (positionals.length > 0) throw new HarnessError('usage', `"${positionals[0]}" is no option.`)
  const values: RawValues = {
    ...(given.profile === undefined ? {} : readProfile(resolve(folder, given.profile), conformanceOptions, special)),
    ...given,
  }
  const { baseUrl, apiPath } = readTargetAddress(values['base-url'], values['api-path'])
  const keys = {
    main: values['api-key'],
    second: values['second-key'],
    revoked: values['revoked-key'],
    unfunded: values['unfunded-key'],
    limited: values['limited-key'],
  }
  return {
    ...optional({
      baseUrl,
      checksOf: values.checks,
      evidence: values.evidence && resolve(folder, values.evidence),
      knownFailures: values['known-failures'] && resolve(folder, values['known-failures']),
    }),
    updateKnownFailures: readUpdate(values),
    ...readAgainst(values),
    ...(values.nodes !== undefined && { nodes: readPlaces(values.nodes, values.model) }),
    ...(values['node-key'] !== undefined && { nodeKey: values['node-key'] }),
    target: {
      apiPath,
      keys: optional(keys),
      ...optional({
        model: values.model,
        unavailableModel: values['unavailable-model'],
        contextWindow: values['context-window'],
        eventsPerSMin: typeof values.load === 'object' ? values.load.minEventsPerS : undefined,
        control: readControl(values),
      }),
      headers: (values.header ?? []).map(readHeader),
      insecure: values.insecure ?? false,
      timeoutMs: values.timeout ?? 10_000,
      concurrency: values.concurrency ?? 8,
      requestsMax: values['max-requests'] ?? 3000,
      long: values.long ?? false,
      settlingMs: (values.settling ?? 10) * 1000,
      durationMsMax: (values['max-time'] ?? 100) * 1000,
      load: values.load === undefined ? baseUrl === undefined : values.load !== false,
      runId: randomInt(2 ** 40).toString(36),
      version,
    },
    randomness: { seed: values.seed ?? randomInt(2 ** 31), runs: values.runs ?? 100 },
    selection: { only: values.only ?? [], skip: values.skip ?? [], safe: values.safe ?? false },
    level: values.level === 'should' ? 'should' : 'must',
    allowUndecided: values['allow-undecided'] ?? false,
    costUsdMax: values['max-cost'] ?? 1,
    reports: (values.report ?? ['terminal']).map((report) => readReport(report, folder)),
    list: values.list ?? false,
    help: values.help ?? false,
    quiet: values.quiet ?? false,
    verbose: values.verbose ?? false,
    color: !(values['no-color'] ?? false),
  }
}

function readAgainst({
  against,
  'against-key': main,
  'api-path': path,
}: RawValues): Pick<ConformanceSettings, 'against'> {
  const { baseUrl, apiPath } = readTargetAddress(against, path, '--against')
  return baseUrl === undefined ? {} : { against: { baseUrl, apiPath, keys: optional({ main }) } }
}

/** Whether load is allowed, and what the gateway promises under it. */
function readLoad(raw: unknown, where: string): unknown {
  if (!isRecord(raw)) return readValue(where, { kind: 'flag', about: '' }, raw)
  const unknown = Object.keys(raw).find((name) => name !== 'minEventsPerS')
  if (unknown !== undefined) throw new HarnessError('profile-invalid', `${where}: "${unknown}" is not minEventsPerS.`)
  const option = { kind: 'number', value: 'N', about: '', min: 0, whole: false } as const
  return { minEventsPerS: readValue(`${where}: minEventsPerS`, option, raw['minEventsPerS'] ?? 0) }
}

function readUpdate(values: RawValues): boolean {
  const isAsked = values['update-known-failures'] ?? false
  if (isAsked && values['known-failures'] === undefined)
    throw new HarnessError('usage', '--update-known-failures needs --known-failures, the file to write.')
  return isAsked
}

function readControl(values: RawValues): ControlConfig | undefined {
  const address = readControlAddress(values.control, values['control-token'])
  const hooks = values['control-commands']
  return address ?? (hooks === undefined ? undefined : { hooks })
}

/** Commands that stand for the verbs of the control API, by the names of the verbs. */
function readCommands(raw: unknown): ControlHooks {
  const where = '"control-commands" in the profile'
  if (!isRecord(raw)) throw new HarnessError('profile-invalid', `${where} must hold a command for each verb.`)
  for (const [verb, command] of Object.entries(raw)) {
    if (!(verb in verbs))
      throw new HarnessError('profile-invalid', `${where}: "${verb}" is none of ${Object.keys(verbs).join(', ')}.`)
    if (typeof command !== 'string')
      throw new HarnessError('profile-invalid', `${where}: the command for ${verb} must be a text.`)
  }
  return raw as ControlHooks
}

function readReport(report: string, folder: string): ConformanceSettings['reports'][number] {
  const [name = '', ...file] = report.split('=')
  const format = reportFormats.find((one) => one === name)
  if (format === undefined)
    throw new HarnessError('usage', `--report must be one of: ${reportFormats.join(', ')}; got "${name}".`)
  return file.length === 0 ? { format } : { format, file: resolve(folder, file.join('=')) }
}
