import { randomInt } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { parse as parseYaml } from 'yaml'
import type { Randomness } from '../check/property.ts'
import type { Selection } from '../check/select.ts'
import { version } from '../fixtures.ts'
import { HarnessError } from '../harness-error.ts'
import type { ControlConfig, TargetConfig } from '../target/config.ts'
import { verbs } from '../target/control.ts'
import type { ControlHooks } from '../target/control-hooks.ts'
import { isRecord } from '../target/json.ts'
import type { HeaderList } from '../wire/transcript.ts'
import { type OptionTable, parseOptions, readValue, type Values } from './options.ts'
import { type NodePlace, readPlaces } from './own-nodes.ts'

const reportFormats = ['terminal', 'json', 'junit'] as const
export type ReportFormat = (typeof reportFormats)[number]

/** The options of `assay conformance`; their names are fixed. A profile holds any of them but `profile` itself. */
export const conformanceOptions = {
  'base-url': { kind: 'text', value: 'URL', about: 'the gateway; without it the embedded reference gateway is judged' },
  'api-path': { kind: 'text', value: 'PATH', about: 'where the API is mounted (/api/v1)' },
  'api-key': { kind: 'text', value: 'KEY', about: 'a funded key; better in ASSAY_API_KEY, out of process lists' },
  'second-key': { kind: 'text', value: 'KEY', about: 'another key of the same account' },
  'revoked-key': { kind: 'text', value: 'KEY', about: 'a key that was deleted' },
  'unfunded-key': { kind: 'text', value: 'KEY', about: 'a key of an account without funds' },
  'limited-key': { kind: 'text', value: 'KEY', about: 'a key with a low rate limit' },
  model: { kind: 'text', value: 'ID', about: 'the model to use (the cheapest listed that answers)' },
  'unavailable-model': { kind: 'text', value: 'ID', about: 'a model that the gateway knows and no node serves' },
  control: { kind: 'text', value: 'URL', about: 'the control API, for checks of keys, balances and availability' },
  'control-token': { kind: 'text', value: 'T', about: 'its token; better in ASSAY_CONTROL_TOKEN' },
  settling: { kind: 'number', value: 'S', min: 0, whole: false, about: 'how long balances and usage may lag (10)' },
  nodes: {
    kind: 'text',
    value: 'HOST:PORT[=MODEL],…',
    about: 'operator nodes that Assay plays for the gateway (two of one model: failover too)',
  },
  'node-key': { kind: 'text', value: 'KEY', about: 'the key that our nodes ask the gateway for' },
  profile: { kind: 'text', value: 'FILE', about: 'these options in a YAML or JSON file' },
  header: { kind: 'list', value: "'Name: value'", about: 'sent with every request (repeatable)' },
  only: { kind: 'list', value: 'SEL', about: 'by check id (globs), clause, level or capability (repeatable)' },
  skip: { kind: 'list', value: 'SEL', about: 'the same, left out' },
  level: { kind: 'choice', of: ['must', 'should'], about: 'what fails the run (must)' },
  'known-failures': {
    kind: 'text',
    value: 'FILE',
    about: 'failures to let pass, each with its reason; one that passes fails',
  },
  'update-known-failures': { kind: 'flag', about: 'write that file anew from this run' },
  seed: { kind: 'number', value: 'N', min: 0, whole: true, about: 'of the properties (random, printed)' },
  runs: { kind: 'number', value: 'N', min: 1, whole: true, about: 'of each property at most (100)' },
  concurrency: { kind: 'number', value: 'N', min: 1, whole: true, about: 'requests in flight at most (8)' },
  timeout: { kind: 'number', value: 'MS', min: 1, whole: true, about: 'silence on one request (10000)' },
  'max-time': { kind: 'number', value: 'S', min: 1, whole: false, about: 'the whole run (100)' },
  'max-requests': { kind: 'number', value: 'N', min: 1, whole: true, about: 'the whole run (3000)' },
  'max-cost': { kind: 'number', value: 'USD', min: 0, whole: false, about: 'refuses a run that may cost more (1.00)' },
  safe: { kind: 'flag', about: 'only checks that create, delete and load nothing' },
  load: { kind: 'flag', about: 'allow more than --concurrency requests at once' },
  long: { kind: 'flag', about: 'allow checks that wait over 20 s' },
  insecure: { kind: 'flag', about: 'accept any certificate' },
  'allow-undecided': { kind: 'flag', about: 'what the target left undecided does not end the run with 3' },
  'context-window': {
    kind: 'number',
    value: 'N',
    min: 1,
    whole: true,
    about: "tokens in the model's window, where its price does not tell",
  },
  contract: { kind: 'choice', of: ['v1'], about: 'the contract to judge by (v1)' },
  report: { kind: 'list', value: 'FORMAT[=FILE]', about: 'terminal, json, junit (repeatable; terminal)' },
  evidence: { kind: 'text', value: 'DIR', about: 'every exchange, redacted (assay-evidence/ when something failed)' },
  list: { kind: 'flag', about: 'print the selected checks and stop' },
  quiet: { kind: 'flag', about: 'print failures and the verdict alone' },
  verbose: { kind: 'flag', about: 'print every check' },
  'no-color': { kind: 'flag', about: 'plain text' },
  help: { kind: 'flag', about: 'print this' },
} as const satisfies OptionTable

type RawValues = Values<typeof conformanceOptions> & {
  readonly checks?: string
  readonly 'control-commands'?: ControlHooks
}

export interface ConformanceSettings {
  /** Absent for the embedded reference gateway. */
  readonly baseUrl?: string
  /** All of the target but its address. */
  readonly target: Omit<TargetConfig, 'baseUrl'>
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
    ...(given.profile === undefined ? {} : readProfile(resolve(folder, given.profile))),
    ...given,
  }
  const { baseUrl, apiPath } = readAddress(values['base-url'], values['api-path'])
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
    ...(values.nodes !== undefined && { nodes: readPlaces(values.nodes, values.model) }),
    ...(values['node-key'] !== undefined && { nodeKey: values['node-key'] }),
    target: {
      apiPath,
      keys: optional(keys),
      ...optional({
        model: values.model,
        unavailableModel: values['unavailable-model'],
        contextWindow: values['context-window'],
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
      load: values.load ?? baseUrl === undefined,
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

/** Drops the members that are undefined. */
function optional<T extends object>(members: T): { readonly [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>
  }
}

function readAddress(
  base: string | undefined,
  path: string | undefined,
): { readonly baseUrl?: string; readonly apiPath: string } {
  const apiPath = `/${(path ?? '/api/v1').replace(/^\/+|\/+$/g, '')}`
  if (base === undefined) return { apiPath }
  const url = URL.canParse(base) ? new URL(base) : undefined
  if (url === undefined || !['http:', 'https:'].includes(url.protocol)) {
    throw new HarnessError('usage', `--base-url must be an http or https address, got "${base}".`)
  }
  if (url.username !== '' || url.password !== '')
    throw new HarnessError('usage', '--base-url must not hold credentials; use --api-key or --header.')
  const address = (url.origin + url.pathname).replace(/\/+$/, '')
  // An address that already ends in the API path is understood.
  return {
    baseUrl: address.endsWith(apiPath) ? address.slice(0, -apiPath.length) : address,
    apiPath: apiPath === '/' ? '' : apiPath,
  }
}

function readUpdate(values: RawValues): boolean {
  const isAsked = values['update-known-failures'] ?? false
  if (isAsked && values['known-failures'] === undefined)
    throw new HarnessError('usage', '--update-known-failures needs --known-failures, the file to write.')
  return isAsked
}

function readControl(values: RawValues): ControlConfig | undefined {
  const { control: url, 'control-token': token, 'control-commands': hooks } = values
  if (url === undefined) {
    if (token !== undefined) throw new HarnessError('usage', '--control-token needs --control.')
    return hooks === undefined ? undefined : { hooks }
  }
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    throw new HarnessError('usage', `--control must be an http or https address, got "${url}".`)
  return { url: url.replace(/\/(control\/v1\/?)?$/, ''), ...(token !== undefined && { token }) }
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

function readHeader(header: string): HeaderList[number] {
  const [, name, value] = /^([!#$%&'*+.^_`|~\w-]+):\s*(.*)$/.exec(header) ?? []
  if (name === undefined || value === undefined)
    throw new HarnessError('usage', `--header must look like 'Name: value', got "${header.split(':')[0]}".`)
  return [name, value]
}

function readReport(report: string, folder: string): ConformanceSettings['reports'][number] {
  const [name = '', ...file] = report.split('=')
  const format = reportFormats.find((one) => one === name)
  if (format === undefined)
    throw new HarnessError('usage', `--report must be one of: ${reportFormats.join(', ')}; got "${name}".`)
  return file.length === 0 ? { format } : { format, file: resolve(folder, file.join('=')) }
}

/** A profile holds options by their names, and `checks`, the release whose checks gate. */
function readProfile(file: string): RawValues {
  let profile: unknown
  try {
    profile = parseYaml(readFileSync(file, 'utf8'))
  } catch (error) {
    throw new HarnessError(
      'profile-invalid',
      `--profile ${file} can not be read: ${error instanceof Error ? error.message.split('\n')[0] : error}`,
    )
  }
  if (!isRecord(profile))
    throw new HarnessError('profile-invalid', `--profile ${file} must hold options by their names.`)
  const values: Record<string, unknown> = {}
  for (const [name, raw] of Object.entries(profile)) {
    const option = Object.entries(conformanceOptions).find(([known]) => known === name && known !== 'profile')?.[1]
    const where = `"${name}" in the profile`
    if (name === 'control-commands') values[name] = readCommands(raw)
    else if (name === 'checks') values[name] = readValue(where, { kind: 'text', value: '', about: '' }, raw)
    else if (option === undefined) throw new HarnessError('profile-invalid', `${where} is no option.`)
    else values[name] = readValue(where, option, raw)
  }
  return values as RawValues
}
