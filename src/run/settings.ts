import { randomInt } from 'node:crypto'
import { join, relative, resolve } from 'node:path'
import { checks } from '../../suites/index.ts'
import { releases } from '../check/check-ids.ts'
import { selectChecks } from '../check/select.ts'
import { version } from '../fixtures.ts'
import { HarnessError } from '../harness-error.ts'
import { isRecord } from '../json.ts'
import { conformanceOptions, type targetOptions } from '../options/conformance.ts'
import { readPlaces } from '../options/node-places.ts'
import { parseOptions, readValue, type Values } from '../options/parse.ts'
import { readProfile, type SpecialReader } from '../options/profile.ts'
import { refusePositionals } from '../options/refuse-positionals.ts'
import { readReports } from '../options/report.ts'
import { optional, readControlAddress, readHeader, readTargetAddress } from '../options/target.ts'
import { type ReportFormat, reportFormats } from '../report/conformance/formats.ts'
import { readFailed } from '../report/evidence.ts'
import { evidenceHome, folderName } from '../report/evidence-folder.ts'
import type { Output } from '../report/outputs.ts'
import type { ControlConfig, TargetConfig } from '../target/config.ts'
import type { ControlHooks } from '../target/control/hooks.ts'
import { verbs } from '../target/control/verbs.ts'
import { compareVersions } from './gate.ts'
import type { RunPlan } from './plan.ts'
import { readRequirementSet } from './requirement-sets.ts'

type RawValues = Omit<Values<typeof conformanceOptions>, 'load'> & {
  readonly load?: boolean | { readonly minEventsPerS: number }
  readonly checks?: string
  readonly 'control-commands'?: ControlHooks
}

/** Profile entries that are not options, or hold more than one. */
const special: Readonly<Record<string, SpecialReader>> = {
  'control-commands': readCommands,
  load: readLoad,
  checks: readRelease,
}

/** The release whose checks gate: with an older one than the first no check would count, with one to come all of them. */
function readRelease(raw: unknown, where: string): string {
  const release = String(readValue(where, { kind: 'text', value: '', about: '' }, raw))
  const known = [...new Set([...releases, version])].sort(compareVersions)
  if (known.includes(release)) return release
  throw new HarnessError(
    'profile-invalid',
    `${where}: there is no release ${JSON.stringify(release)}; use ${known.join(' or ')}.`,
  )
}

/** Where the results of a run go, and how much is printed. */
export interface Delivery {
  readonly reports: readonly Output<ReportFormat>[]
  readonly evidence: {
    /** The run's own folder. */
    readonly folder: string
    /** Whether it was asked for; if not, only a run with failures writes any. */
    readonly isAsked: boolean
  }
  readonly quiet: boolean
  readonly verbose: boolean
  readonly color: boolean
}

export interface Settings {
  readonly plan: RunPlan
  readonly delivery: Delivery
  /** Only print the selected checks. */
  readonly list: boolean
  readonly help: boolean
}

/** Reads flags, then the environment, then the profile. Relative paths start from `folder`. */
export function readSettings(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  folder: string,
): Settings {
  const { values: given, positionals } = parseOptions(conformanceOptions, args, env)
  refusePositionals(positionals)
  const values = withProfile(given, folder)
  const plan = readPlan(values, folder)
  return {
    plan,
    delivery: {
      reports: readReports(reportFormats, values.report, folder),
      evidence: { folder: resolve(folder, plan.evidenceFolder), isAsked: values.evidence !== undefined },
      quiet: values.quiet ?? false,
      verbose: values.verbose ?? false,
      color: !(values['no-color'] ?? false),
    },
    list: values.list ?? false,
    help: values.help ?? false,
  }
}

/** Flags and variables take precedence over the profile. */
function withProfile(given: Values<typeof conformanceOptions>, folder: string): RawValues {
  const profile =
    given.profile === undefined ? {} : readProfile(resolve(folder, given.profile), conformanceOptions, special)
  return { ...profile, ...given }
}

/** The plan of a command that takes only the options of the target: every check is selected. */
export function readTargetPlan(given: Values<typeof targetOptions>, folder: string): RunPlan {
  const { only: _, skip: __, safe: ___, failed: ____, quick: _____, ...values } = withProfile(given, folder)
  return readPlan(values, folder)
}

function readPlan(values: RawValues, folder: string): RunPlan {
  const { baseUrl, apiPath, isDecided } = readTargetAddress(values['base-url'], values['api-path'])
  if (values['node-dialect'] !== undefined && baseUrl !== undefined && values.nodes === undefined)
    throw new HarnessError('usage', '--node-dialect is for nodes that Assay plays: add --nodes HOST:PORT.')
  const target = readTarget(values, apiPath, limitsFor(values, baseUrl === undefined))
  const home = relative(folder, resolve(folder, values.evidence ?? evidenceHome))
  const failedLast = values.failed === true ? readFailed(resolve(folder, home)) : []
  const selection = { only: values.only ?? [], skip: values.skip ?? [], safe: values.safe ?? false }
  const selected = selectChecks(checks, selection).map(({ id }) => id)
  if (values.failed === true && !selected.some((id) => failedLast.includes(id)))
    throw new HarnessError('usage', `--failed: no selected check failed in the newest run in ${home}.`)
  return {
    ...optional({
      baseUrl,
      nodeKey: values['node-key'],
      nodeDialect: values['node-dialect'],
      knownFailures: readKnownFailuresFile(values, folder),
    }),
    findsApi: !isDecided,
    ...readAgainst(values),
    ...(values.nodes !== undefined && { nodes: readPlaces(values.nodes, values.model) }),
    target,
    selected: values.failed === true ? selected.filter((id) => failedLast.includes(id)) : selected,
    randomness: {
      seed: values.seed ?? randomInt(2 ** 31),
      runs: values.runs ?? (values.quick === true ? quickRuns : 100),
      ...(values.quick === true && { isQuick: true }),
    },
    gate: {
      level: values.level === 'should' ? 'should' : 'must',
      scope: values.scope === 'format' ? 'format' : 'contract',
      allowUndecided: values['allow-undecided'] ?? false,
      ...optional({ checksOf: values.checks, set: readSet(values.set) }),
    },
    keepAll: values.evidence !== undefined,
    evidenceFolder: join(home, folderName(new Date(), target.runId)),
  }
}

type Limits = Pick<TargetConfig, 'requestsMax' | 'tokensMax' | 'costUsdMax' | 'durationMsMax' | 'costly' | 'load'>

/** What a run may use unless its options say otherwise; nobody pays for the embedded gateway. */
function limitsFor(values: RawValues, isEmbedded: boolean): Limits {
  const costly = values.costly ?? isEmbedded
  const usual = isEmbedded ? { requests: 8000 } : { requests: 8000, tokens: costly ? 2_000_000 : 150_000, usd: 0.25 }
  const limits: { readonly requests: number; readonly tokens?: number; readonly usd?: number } =
    values.quick === true ? { ...usual, requests: 400, tokens: 20_000 } : usual
  return {
    requestsMax: values['max-requests'] ?? limits.requests,
    ...optional({
      tokensMax: values['max-tokens-total'] ?? limits.tokens,
      costUsdMax: values['max-cost'] ?? limits.usd,
    }),
    durationMsMax: (values['max-time'] ?? (values.quick === true ? 60 : 100)) * 1000,
    costly,
    load: values.load === undefined ? isEmbedded : values.load !== false,
  }
}

/** How often a quick run tries a property. */
const quickRuns = 2

function readSet(name: string | undefined): RunPlan['gate']['set'] {
  return name === undefined ? undefined : { name, checks: readRequirementSet(name) }
}

function readTarget(values: RawValues, apiPath: string, limits: Limits): RunPlan['target'] {
  return {
    apiPath,
    ...limits,
    keys: readKeys(values),
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
    ...(values.concurrency === undefined ? { concurrency: 8, mayWiden: true } : { concurrency: values.concurrency }),
    long: values.long ?? false,
    settlingMs: (values.settling ?? 10) * 1000,
    runId: randomInt(2 ** 40).toString(36),
    version,
  }
}

/** Each key has a part of its own: with one in two parts, a check of both would prove nothing, or fail a gateway that is right. */
function readKeys(values: RawValues): TargetConfig['keys'] {
  const parts = ['api-key', 'second-key', 'revoked-key', 'unfunded-key', 'limited-key'] as const
  for (const [at, part] of parts.entries()) {
    const same = parts.slice(0, at).find((other) => values[part] !== undefined && values[other] === values[part])
    if (same !== undefined)
      throw new HarnessError('usage', `--${part} is the same key as --${same}: name another one, or leave it out.`)
  }
  return optional({
    main: values['api-key'],
    second: values['second-key'],
    revoked: values['revoked-key'],
    unfunded: values['unfunded-key'],
    limited: values['limited-key'],
  })
}

function readAgainst({ against, 'against-key': main, 'api-path': path }: RawValues): Pick<RunPlan, 'against'> {
  const { baseUrl, apiPath, isDecided } = readTargetAddress(against, path, '--against')
  return baseUrl === undefined ? {} : { against: { baseUrl, apiPath, findsApi: !isDecided, keys: optional({ main }) } }
}

/** Whether load is allowed, and what the gateway promises under load. */
function readLoad(raw: unknown, where: string): unknown {
  if (!isRecord(raw)) return readValue(where, { kind: 'flag', about: '' }, raw)
  const unknown = Object.keys(raw).find((name) => name !== 'minEventsPerS')
  if (unknown !== undefined) throw new HarnessError('profile-invalid', `${where}: "${unknown}" is not minEventsPerS.`)
  const option = { kind: 'number', value: 'N', about: '', min: 0, whole: false } as const
  return { minEventsPerS: readValue(`${where}: minEventsPerS`, option, raw['minEventsPerS'] ?? 0) }
}

function readKnownFailuresFile(values: RawValues, folder: string): RunPlan['knownFailures'] {
  const { 'known-failures': path, 'update-known-failures': update = false } = values
  if (update && path === undefined)
    throw new HarnessError('usage', '--update-known-failures needs --known-failures, the file to write.')
  return path === undefined ? undefined : { path: resolve(folder, path), update }
}

function readControl(values: RawValues): ControlConfig | undefined {
  const address = readControlAddress(values.control, values['control-token'])
  const restart = values['restart-command']
  if (address !== undefined) return { ...address, ...(restart !== undefined && { restartCommand: restart }) }
  const hooks = { ...values['control-commands'], ...(restart !== undefined && { restart }) }
  return Object.keys(hooks).length === 0 ? undefined : { hooks }
}

/** Commands in place of the control API's verbs, by verb. */
function readCommands(raw: unknown): ControlHooks {
  const where = '"control-commands" in the profile'
  if (!isRecord(raw)) throw new HarnessError('profile-invalid', `${where} must hold a command for each verb.`)
  for (const [verb, command] of Object.entries(raw)) {
    if (!(verb in verbs))
      throw new HarnessError('profile-invalid', `${where}: "${verb}" is not one of ${Object.keys(verbs).join(', ')}.`)
    if (typeof command !== 'string')
      throw new HarnessError('profile-invalid', `${where}: the command for ${verb} must be text.`)
  }
  return raw as ControlHooks
}
