import { detectionFormats } from '../../detection/run/report.ts'
import { commands } from '../../src/cli/commands.ts'
import { loadCalibrate } from '../../src/cli/load/calibrate.ts'
import { loadJoin } from '../../src/cli/load/join.ts'
import { readContract } from '../../src/fixtures.ts'
import { judgingOptions, outputOptions, targetOptions } from '../../src/options/conformance.ts'
import { loadOptions } from '../../src/options/load.ts'
import { helpOf, type OptionTable } from '../../src/options/parse.ts'
import { reportFormats } from '../../src/report/conformance/formats.ts'
import { loadFormats } from '../../src/report/load/formats.ts'
import { capabilities } from '../../src/target/capabilities.ts'
import { checks } from '../../suites/index.ts'
import { clientsInMarkdown } from '../clients/page.ts'
import { reliabilityParts } from '../reliability/figures.ts'
import { resultsInMarkdown } from '../site/markdown.ts'
import { tableOf } from './blocks.ts'
import { licencesInMarkdown } from './licences.ts'
import { recipeParts } from './recipes.ts'
import { relayAxes } from './relay-matrix.ts'
import { rulingsInMarkdown } from './rulings.ts'

/** Commands whose options are known only to their own help. */
const withOptions = ['gateway', 'node', 'init', 'replay', 'report', 'verify', 'compare', 'detection']

/** The parts of the pages that the source's own tables say, by their names. */
export async function generatedParts(): Promise<ReadonlyMap<string, string>> {
  const ofTarget = Object.keys(targetOptions)
  const helps = await Promise.all(
    withOptions.map(async (name) => [name, (await commands[name]?.load())?.help ?? ''] as const),
  )
  return new Map([
    ['commands', commandTable()],
    ['checks', checkTable()],
    ['relay-axes', relayAxes()],
    ['check-count', checkCount()],
    ['capabilities', capabilityTable()],
    ['options:target', optionTable(targetOptions)],
    ['options:judging', optionTable(judgingOptions)],
    ['options:output', optionTable(outputOptions)],
    ['options:load', optionTable(loadOptions)],
    ['options:load-calibrate', optionsInHelp(loadCalibrate.help)],
    ['options:load-join', optionsInHelp(loadJoin.help)],
    ...helps.map(
      ([name, help]) => [`options:${name}`, optionsInHelp(help, name === 'replay' ? ofTarget : [])] as const,
    ),
    ['formats:conformance', formatTable(reportFormats)],
    ['formats:load', formatTable(loadFormats)],
    ['formats:detection', formatTable(detectionFormats)],
    ['rulings', rulingsInMarkdown()],
    ...recipeParts(),
    ['licences', licencesInMarkdown()],
    ...reliabilityParts(),
    ...resultsInMarkdown(),
    ...clientsInMarkdown(),
  ])
}

function optionTable(table: OptionTable): string {
  return optionsInHelp(helpOf(table))
}

/** The options that a help text lists, but `--help` and those that the page shows elsewhere. */
function optionsInHelp(help: string, elsewhere: readonly string[] = []): string {
  const rows = help.split('\n').flatMap((line) => {
    const [, option = '', name = '', about = ''] = /^ {2}(--([\w-]+).*?) {2,}(.*)$/.exec(line) ?? []
    return option === '' || name === 'help' || elsewhere.includes(name) ? [] : [[`\`${option}\``, inMarkdown(about)]]
  })
  return tableOf(['option', 'meaning'], rows)
}

/** Options and variables as code; an angle bracket would begin a tag. */
function inMarkdown(about: string): string {
  return about.replaceAll('<', '&lt;').replace(/ASSAY_[A-Z_]+|--[a-z][a-z-]*/g, '`$&`')
}

/** Pages that are not called like their command. */
const pageOf: Readonly<Record<string, string>> = {
  gateway: 'reference-gateway',
  init: 'profiles-and-control',
  list: 'reading-a-report',
  explain: 'reading-a-report',
  faults: 'reading-a-report',
  replay: 'reading-a-report',
  report: 'reports',
  verify: 'reports',
  compare: 'reports',
  completion: 'commands',
}

function commandTable(): string {
  return tableOf(
    ['command', ''],
    Object.entries(commands).map(([name, { summary }]) => [`[\`${name}\`](${pageOf[name] ?? name}.md)`, summary]),
  )
}

function formatTable(table: Readonly<Record<string, { readonly about: string }>>): string {
  return tableOf(
    ['format', ''],
    Object.entries(table).map(([name, { about }]) => [`\`${name}\``, about]),
  )
}

function capabilityTable(): string {
  const needing = (capability: string): number =>
    checks.filter(({ needs = [] }) => needs.some((one) => one === capability)).length
  return tableOf(
    ['capability', 'how a check gets it', 'checks'],
    Object.entries(capabilities).map(([name, how]) => [
      `\`${name}\``,
      inMarkdown(how),
      String(name === 'client' ? checks.filter(({ needs = [] }) => needs.length === 0).length : needing(name)),
    ]),
  )
}

function checkTable(): string {
  const titles = new Map(readContract().map(({ number, title }) => [number, title]))
  const rows = [...Map.groupBy(checks, ({ clause }) => clause)].map(([number, own]) => [
    number,
    titles.get(number) ?? '',
    ...(['must', 'should', 'open'] as const).map((level) =>
      String(own.filter((check) => check.level === level).length),
    ),
  ])
  return tableOf(['clause', '', 'must', 'should', 'open'], rows)
}

function checkCount(): string {
  const proven = new Set(checks.flatMap(({ states }) => states)).size
  return `- **${checks.length} checks** for ${proven} statements of the [contract](fixtures/contract/v1.md). A failure comes with the reason, a fix, a curl line and a replay.`
}
