import { existsSync, readFileSync } from 'node:fs'
import { parse as parseYaml } from 'yaml'
import { didYouMean } from '../did-you-mean.ts'
import { HarnessError } from '../harness-error.ts'
import { isRecord } from '../json.ts'
import { reasonOf } from '../report/outputs.ts'
import { conformanceOptions } from './conformance.ts'
import { loadOptions } from './load.ts'
import { type OptionTable, readValue } from './parse.ts'

/** Reads a profile entry that is not an option; `where` names it in an error. */
export type SpecialReader = (raw: unknown, where: string) => unknown

/**
 * A profile holds options by name, for every command that takes one. An option of another command is ignored; one that
 * no command knows is an error.
 */
export function readProfile(
  file: string,
  table: OptionTable,
  special: Readonly<Record<string, SpecialReader>> = {},
): Readonly<Record<string, unknown>> {
  const text = readText(file)
  let profile: unknown
  try {
    profile = parseYaml(text)
  } catch (error) {
    throw new HarnessError('profile-invalid', `--profile ${file} cannot be read: ${firstLine(error)}.`)
  }
  if (!isRecord(profile)) throw new HarnessError('profile-invalid', `--profile ${file} must hold options by name.`)
  const values: Record<string, unknown> = {}
  for (const [name, raw] of Object.entries(profile)) {
    const where = `"${name}" in the profile`
    const reader = special[name]
    const option = name === 'profile' ? undefined : table[name]
    if (reader !== undefined) values[name] = reader(raw, where)
    else if (option !== undefined) values[name] = readValue(where, option, raw)
    else if (!isKnown(name))
      throw new HarnessError('profile-invalid', `${where} is not an option.${didYouMean(name, knownNames)}`)
  }
  return values
}

function readText(file: string): string {
  if (!existsSync(file)) throw new HarnessError('unreadable', `--profile ${file} does not exist.`)
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new HarnessError('unreadable', `--profile ${file} cannot be read: ${reasonOf(error)}.`)
  }
}

const entriesBesideOptions: readonly string[] = ['checks', 'control-commands']

const knownNames: readonly string[] = [
  ...Object.keys({ ...conformanceOptions, ...loadOptions }),
  ...entriesBesideOptions,
].filter((name) => name !== 'profile')

function isKnown(name: string): boolean {
  return knownNames.includes(name)
}

/** YAML's messages go on with an excerpt of the file, behind a colon. */
function firstLine(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split('\n')[0]?.replace(/[:.]$/, '') ?? ''
}
