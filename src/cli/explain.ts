import { faults } from '../../detection/faults/index.ts'
import type { Check } from '../check/check.ts'
import { costOf } from '../check/cost.ts'
import { commandName } from '../command-name.ts'
import { countOf } from '../count.ts'
import { readContract } from '../fixtures.ts'
import { parseOptions } from '../options/parse.ts'
import { shared } from '../options/shared.ts'
import { wrapLines } from '../report/wrap.ts'
import { checkNamed } from './check-named.ts'
import type { Command } from './command.ts'
import { printHelp } from './print-help.ts'

const options = { help: shared.help } as const

/** `assay explain ID`: what a check asks, why, and how to fix a failure. */
export const explain: Command = {
  help: `${commandName('explain')} ID\n\nSays what a check asks, which statements it proves, why it matters, how to fix a failure,\nand which broken gateways it is tested on.`,
  options,
  operands: 'checks',
  async run(args, io) {
    const { values, positionals } = parseOptions(options, args, {})
    if (values.help === true) {
      printHelp(explain, io)
      return 0
    }
    const check = checkNamed(positionals[0])
    const proofs = Object.entries(faults).filter(([, { breaks }]) => breaks.includes(check.id))
    const statements = readContract().flatMap((clause) => clause.statements)
    const lines = [
      `${check.id} (${check.level}, clause ${check.clause}, since ${check.since})`,
      '',
      ...check.states.map((state) => `States  ${statements.find((one) => one.id === state)?.text ?? state}`),
      `Why     ${check.why}`,
      `Fix     ${check.fix}`,
      `Needs   ${check.needs?.join(', ') ?? 'a base URL and a key'}`,
      ...(check.dependsOn === undefined ? [] : [`After   ${check.dependsOn.join(', ')}`]),
      `Cost    ${costText(check)}`,
      ...(proofs.length === 0
        ? []
        : ['', `Proven by these broken gateways (${commandName('gateway')} --fault NAME runs one):`]),
      ...proofs.map(([name, { about }]) => `  ${name}: ${about}`),
    ]
    io.out(wrapLines(lines.join('\n'), io.columns))
    return 0
  },
}

function costText(check: Check): string {
  const { requests, tokens } = costOf(check, { runs: 1 })
  if (requests === 0) return 'no request of its own: it looks at the answers that other checks received'
  return `at most ${countOf(requests, 'request')} and ${countOf(tokens, 'token')}${check.phase === 'random' ? ' for each random value' : ''}`
}
