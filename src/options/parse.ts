import { type ParseArgsOptionsConfig, parseArgs } from 'node:util'
import { didYouMean } from '../did-you-mean.ts'
import { HarnessError } from '../harness-error.ts'
import { usableKey } from './usable-key.ts'

/** How an option is written and read. Every option can come from a flag, a variable `ASSAY_…` or a profile. */
export type Option =
  | { readonly kind: 'flag'; readonly about: string }
  | {
      readonly kind: 'text'
      readonly value: string
      readonly about: string
      /** Set for what is sent as `Bearer …`: a value that no header can carry is refused. */
      readonly isKey?: true
    }
  | {
      readonly kind: 'list'
      readonly value: string
      readonly about: string
      /** What its values are the names of, so that a shell can complete them. */
      readonly names?: 'checks' | 'faults'
    }
  | {
      readonly kind: 'number'
      readonly value: string
      readonly about: string
      readonly min: number
      readonly whole: boolean
    }
  | { readonly kind: 'choice'; readonly of: readonly string[]; readonly about: string }

export type OptionTable = Readonly<Record<string, Option>>

export type Values<T extends OptionTable> = {
  readonly [K in keyof T]?: T[K] extends { readonly kind: 'flag' }
    ? boolean
    : T[K] extends { readonly kind: 'number' }
      ? number
      : T[K] extends { readonly kind: 'list' }
        ? readonly string[]
        : T[K] extends { readonly kind: 'choice'; readonly of: readonly (infer One)[] }
          ? One
          : string
}

export interface Parsed<T extends OptionTable> {
  readonly values: Values<T>
  readonly positionals: readonly string[]
}

/** Reads flags, then variables for options without a flag. Throws a usage error that names the option. */
export function parseOptions<T extends OptionTable>(
  table: T,
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Parsed<T> {
  const config: ParseArgsOptionsConfig = {}
  for (const [name, { kind }] of Object.entries(table)) {
    config[name] = kind === 'flag' ? { type: 'boolean' } : { type: 'string', multiple: kind === 'list' }
    if (name === 'help') config[name] = { type: 'boolean', short: 'h' }
  }
  let given: { values: Readonly<Record<string, unknown>>; positionals: readonly string[] }
  try {
    given = parseArgs({ args: withNumbersJoined(args, table), options: config, allowPositionals: true })
  } catch (error) {
    if (!(error instanceof Error)) throw error
    const [, empty] =
      /^Option '(?:-\w, )?(--[\w-]+)(?: <value>)?' argument (?:is ambiguous|missing)/.exec(error.message) ?? []
    if (empty !== undefined)
      throw new HarnessError('usage', `${empty} needs a value; one that begins with a dash is written ${empty}=VALUE.`)
    const [, unknown] = /^Unknown option '--([^']*)'/.exec(error.message) ?? []
    const names = Object.keys(table).map((name) => `--${name}`)
    const meant = unknown === undefined ? '' : didYouMean(`--${unknown}`, names)
    throw new HarnessError('usage', `${(error.message.split('. ')[0] ?? '').replace(/\.?$/, '.')}${meant}`)
  }
  const values: Record<string, unknown> = {}
  for (const [name, option] of Object.entries(table)) {
    const flag = given.values[name]
    const raw = flag ?? fromEnvironment(name, option, env)
    if (raw !== undefined) values[name] = readValue(flag === undefined ? variableOf(name) : `--${name}`, option, raw)
  }
  return { values: values as Values<T>, positionals: given.positionals }
}

/** `--rate -5` as `--rate=-5`: the option's own rule then says what is wrong, and not the parser that a dash begins an option. */
function withNumbersJoined(args: readonly string[], table: OptionTable): string[] {
  const joined: string[] = []
  for (const [at, arg] of args.entries()) {
    const before = args[at - 1] ?? ''
    const option = before.startsWith('--') ? table[before.slice(2)] : undefined
    const isItsValue = option !== undefined && option.kind !== 'flag' && /^-\.?\d/.test(arg)
    joined.push(isItsValue ? `${joined.pop()}=${arg}` : arg)
  }
  return joined
}

/** What the values of options count, by their name in the help. */
const units: Readonly<Record<string, string>> = { S: 'seconds', MS: 'milliseconds', DAYS: 'days', USD: 'US dollars' }

/** The value of one option from any source, checked; `where` names it in an error. */
export function readValue(where: string, option: Option, raw: unknown): string | number | boolean | readonly string[] {
  switch (option.kind) {
    case 'flag':
      if (typeof raw !== 'boolean')
        throw new HarnessError('usage', `${where} must be true or false, got ${JSON.stringify(raw)}.`)
      return raw
    case 'list': {
      const items = Array.isArray(raw) ? raw : [raw]
      if (!items.every((item) => typeof item === 'string'))
        throw new HarnessError('usage', `${where} must be text or a list of texts.`)
      return items
    }
    case 'number': {
      const number = typeof raw === 'number' ? raw : Number(String(raw).trim() || Number.NaN)
      if (!Number.isFinite(number) || number < option.min || (option.whole && !Number.isInteger(number))) {
        const unit = units[option.value]
        const rule = `${option.whole ? 'whole ' : ''}number of ${unit === undefined ? '' : `${unit}, `}at least ${option.min}`
        throw new HarnessError('usage', `${where} must be a ${rule}, got ${JSON.stringify(raw)}.`)
      }
      return number
    }
    case 'choice':
      if (typeof raw !== 'string' || !option.of.includes(raw)) {
        throw new HarnessError(
          'usage',
          `${where} must be one of: ${option.of.join(', ')}; got ${JSON.stringify(raw)}.${didYouMean(String(raw), option.of)}`,
        )
      }
      return raw
    case 'text':
      if (typeof raw !== 'string' || raw === '')
        throw new HarnessError('usage', `${where} must be text that is not empty.`)
      return option.isKey === true ? usableKey(where, raw) : raw
  }
}

/** Where an option may come from besides the command line. */
function variableOf(name: string): string {
  return `ASSAY_${name.toUpperCase().replaceAll('-', '_')}`
}

function fromEnvironment(name: string, option: Option, env: Readonly<Record<string, string | undefined>>): unknown {
  const value = env[variableOf(name)]
  if (value === undefined || value === '') return undefined
  if (option.kind === 'flag')
    return value === 'true' || value === '1' ? true : value === 'false' || value === '0' ? false : value
  return option.kind === 'list' ? value.split(',').map((item) => item.trim()) : value
}

/** What is longer does not push all that is said to the right. */
const leftMax = 34

/** The lines of `--help` for a table of options. */
export function helpOf(table: OptionTable): string {
  const rows = Object.entries(table).map(([name, option]): [string, string] => {
    const value = option.kind === 'flag' ? '' : ` ${option.kind === 'choice' ? option.of.join('|') : option.value}`
    return [`--${name}${value}`, option.about]
  })
  const width = Math.max(...rows.map(([left]) => left.length).filter((length) => length <= leftMax)) + 2
  return rows.map(([left, right]) => `  ${`${left}  `.padEnd(width)}${right}`).join('\n')
}
