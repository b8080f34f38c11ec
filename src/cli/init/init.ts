import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { checks } from '../../../suites/index.ts'
import { commandName } from '../../command-name.ts'
import { countOf } from '../../count.ts'
import { version } from '../../fixtures.ts'
import { HarnessError } from '../../harness-error.ts'
import { makeFolder } from '../../make-folder.ts'
import { conformanceOptions, targetOptions } from '../../options/conformance.ts'
import { helpOf, parseOptions } from '../../options/parse.ts'
import { readProfile } from '../../options/profile.ts'
import { shared } from '../../options/shared.ts'
import { optional, readTargetAddress } from '../../options/target.ts'
import { reasonOf } from '../../report/outputs.ts'
import { readTargetPlan } from '../../run/settings.ts'
import { type Capability, capabilities } from '../../target/capabilities.ts'
import type { Command, CommandIo } from '../command.ts'
import { conformance } from '../conformance.ts'
import { printHelp } from '../print-help.ts'
import { meet } from './meet.ts'
import { ciFiles, ciTexts, type Found, profileText, type Variable } from './texts.ts'

const options = {
  'api-path': targetOptions['api-path'],
  'api-key': targetOptions['api-key'],
  model: targetOptions.model,
  header: targetOptions.header,
  insecure: targetOptions.insecure,
  profile: { kind: 'text', value: 'FILE', about: 'the profile to write (assay.yaml)' },
  ci: { kind: 'choice', of: ['github', 'gitlab'], about: 'write a CI file, too' },
  'known-failures': { kind: 'flag', about: 'run all checks once, and list what fails in known-failures.yaml' },
  yes: { kind: 'flag', about: 'ask nothing, and overwrite files that are there' },
  help: shared.help,
} as const

const knownFailuresFile = 'known-failures.yaml'

/** `assay init [URL]`: finds a gateway's API, models and keys, and writes a profile and what CI needs. */
export const init: Command = {
  help: `${commandName('init')} [URL] [options]\n\nFinds where a gateway has its API, which models it lists and whether it asks for a key, and writes a\nprofile that the other commands take with --profile. No key is ever written.\n\n${helpOf(options)}`,
  options,
  async run(args, io) {
    const { values, positionals } = parseOptions(options, args, io.env)
    if (values.help === true) {
      printHelp(init, io)
      return 0
    }
    const { profile = 'assay.yaml', ci, 'known-failures': listsFailures = false, yes = false } = values
    const { 'api-path': path, 'api-key': key, model, header, insecure } = values
    const given = { 'api-path': path, 'api-key': key, model, header, insecure }
    const url = await urlOf(positionals, io)
    // Only here it is no option.
    readTargetAddress(url, path, 'The address')
    const { target, ...plan } = readTargetPlan({ 'base-url': url, ...optional(given) }, io.folder)
    const found = await meet({ ...plan, target: { ...target, namedBy: { '--base-url': 'the address' } } })
    for (const line of foundLines(found)) io.out(line)
    const write = (file: string, text: string): Promise<boolean> => writeFile(file, text, yes, io)
    const isWritten = await write(
      profile,
      profileText(found, variables(found), listsFailures ? knownFailuresFile : undefined),
    )
    // The same reader that every later run has.
    if (isWritten) readProfile(resolve(io.folder, profile), conformanceOptions)
    if (ci !== undefined) {
      const secrets = found.asksForKey ? ['ASSAY_API_KEY'] : []
      const job = { package: `inference-assay@${version}`, profile, baseUrl: found.baseUrl, secrets }
      const isNew = await write(ciFiles[ci], ciTexts[ci](job))
      if (isNew && secrets.length > 0)
        io.out(`Add ASSAY_API_KEY to the secrets of the ${ci === 'github' ? 'repository' : 'project'}.`)
    }
    if (listsFailures) return await listFailures(profile, values['api-key'], io)
    io.out(`\nNext:\n  ${commandName('conformance')} --profile ${profile}`)
    return 0
  },
}

async function urlOf([given, ...rest]: readonly string[], io: CommandIo): Promise<string> {
  if (rest.length > 0) throw new HarnessError('usage', `init takes one address; "${rest[0]}" is a second one.`)
  const url = given ?? io.env['ASSAY_BASE_URL'] ?? (await io.ask('The address of the gateway: ')).trim()
  if (url === '') throw new HarnessError('usage', 'Which gateway? Pass its address: init http://HOST:PORT.')
  return url
}

function foundLines({ baseUrl, apiPath, models, model, asksForKey }: Found): readonly string[] {
  const listed =
    models.length === 0
      ? 'it lists no models'
      : `it lists ${countOf(models.length, 'model')}: ${models.slice(0, 8).join(', ')}${models.length > 8 ? ', …' : ''}`
  return [
    `The API is at ${baseUrl}${apiPath}; ${listed}.`,
    ...(model === undefined ? ['No model answers yet: add one to the profile.'] : [`${model} answers.`]),
    asksForKey ? 'It asks for a key, which stays in the environment (ASSAY_API_KEY).' : 'It asks for no key.',
  ]
}

const keyCapabilities = [
  'second-key',
  'revoked-key',
  'unfunded-key',
  'limited-key',
] as const satisfies readonly Capability[]

/** The variables that a run of this gateway reads: what it needs, and what makes more checks decidable. */
function variables({ asksForKey, hasHeaders }: Found): readonly Variable[] {
  const main = { name: 'ASSAY_API_KEY', about: asksForKey ? 'required' : 'not needed today' }
  const more = keyCapabilities.map((capability): Variable => {
    const count = checks.filter(({ needs = [] }) => needs.some((need) => need === capability)).length
    const about = capabilities[capability].replace(/^--[\w-]+, /, '')
    return {
      name: `ASSAY_${capability.toUpperCase().replace('-', '_')}`,
      about: `${about}: decides ${countOf(count, 'more check')}`,
    }
  })
  const headers = { name: 'ASSAY_HEADER', about: "required: the headers that were given, as 'Name: value'" }
  return [main, ...(hasHeaders ? [headers] : []), ...more]
}

/** Writes a file; one that is there only after a yes. Returns whether it did. */
async function writeFile(file: string, text: string, yes: boolean, io: CommandIo): Promise<boolean> {
  const path = resolve(io.folder, file)
  if (!yes && existsSync(path) && !/^y(es)?$/i.test((await io.ask(`${file} exists. Overwrite it? [y/N] `)).trim())) {
    io.out(`${file} was left as it is.`)
    return false
  }
  try {
    makeFolder(dirname(path))
    writeFileSync(path, text)
  } catch (error) {
    throw new HarnessError('unwritable', `${file} cannot be written: ${reasonOf(error)}.`)
  }
  io.out(`Wrote ${file}.`)
  return true
}

/** Runs every check and lists the failures; whether there are any does not matter here. */
async function listFailures(profile: string, key: string | undefined, io: CommandIo): ReturnType<Command['run']> {
  const args = ['--profile', profile, '--known-failures', knownFailuresFile, '--update-known-failures']
  const env = key === undefined ? io.env : { ...io.env, ASSAY_API_KEY: key }
  const exitCode = await conformance.run(args, { ...io, env })
  io.out(
    readFileSync(resolve(io.folder, knownFailuresFile), 'utf8') === ''
      ? `\nNothing fails today: ${knownFailuresFile} is empty.`
      : `\n${knownFailuresFile} lists what fails today: give each entry its reason. New failures fail a run from now on.`,
  )
  return exitCode
}
