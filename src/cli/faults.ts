import { allFaults } from '../../detection/catalogue.ts'
import { variants } from '../../detection/variants/index.ts'
import { globOf } from '../check/select.ts'
import { commandName } from '../command-name.ts'
import { countOf } from '../count.ts'
import { didYouMean } from '../did-you-mean.ts'
import { HarnessError } from '../harness-error.ts'
import { parseOptions } from '../options/parse.ts'
import { shared } from '../options/shared.ts'
import type { Command } from './command.ts'
import { printHelp } from './print-help.ts'

const options = { help: shared.help } as const

/** `assay faults [GLOB]`: the broken and the unusual gateways that the checks are tested on. */
export const faultsCommand: Command = {
  help: `${commandName('faults')} [GLOB]\n\nLists the faults, each with the checks that must notice it, and the legal variants, which no\ncheck may fail. ${commandName('gateway')} --fault NAME runs one of them.`,
  options,
  operands: 'faults',
  async run(args, io) {
    const { values, positionals } = parseOptions(options, args, {})
    if (values.help === true) {
      printHelp(faultsCommand, io)
      return 0
    }
    const [pattern = '*', ...rest] = positionals
    if (rest.length > 0) throw new HarnessError('usage', 'faults takes one glob; quote it.')
    const matches = ([name]: readonly [string, unknown]): boolean => globOf(pattern).test(name)
    const broken = Object.entries(allFaults).filter(matches)
    const unusual = Object.entries(variants).filter(matches)
    if (broken.length + unusual.length === 0)
      throw new HarnessError(
        'usage',
        `No fault or variant is named ${pattern}.${didYouMean(pattern, [...Object.keys(allFaults), ...Object.keys(variants)])}`,
      )
    for (const [name, { about, breaks, enough }] of broken)
      io.out(`${name}\n  ${about}\n  noticed by ${enough === 'one' ? 'one of ' : ''}${breaks.join(', ')}`)
    for (const [name, { about }] of unusual) io.out(`${name} (legal)\n  ${about}`)
    io.out(`\n${countOf(broken.length, 'fault')}, ${countOf(unusual.length, 'legal variant')}`)
    return 0
  },
}
