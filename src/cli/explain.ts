import { checks } from '../../suites/index.ts'
import { costOf } from '../check/check.ts'
import { readContract } from '../fixtures.ts'
import { HarnessError } from '../harness-error.ts'
import type { Command } from './command.ts'
import { parseOptions } from './options.ts'

const options = { help: { kind: 'flag', about: 'print this' } } as const

/** `assay explain ID`: what a check asks, why, and how to fix what it finds. */
export const explain: Command = {
  summary: 'say what a check asks, why, and how to fix what it finds',
  help: 'assay explain ID\n\nSays what a check asks, which statements it proves, why it matters and how to fix what it finds.',
  async run(args, io) {
    const { values, positionals } = parseOptions(options, args, {})
    if (values.help === true) {
      io.out(explain.help)
      return 0
    }
    const [id] = positionals
    const check = checks.find((one) => one.id === id)
    if (check === undefined)
      throw new HarnessError(
        'usage',
        id === undefined ? 'Which check? Give its id.' : `There is no check "${id}" (see assay list).`,
      )
    const statements = readContract().flatMap((clause) => clause.statements)
    const cost = costOf(check, 1)
    io.out(
      [
        `${check.id} (${check.level}, clause ${check.clause}, since ${check.since})`,
        '',
        ...check.states.map((state) => `States  ${statements.find((one) => one.id === state)?.text ?? state}`),
        `Why     ${check.why}`,
        `Fix     ${check.fix}`,
        `Needs   ${check.needs?.join(', ') ?? 'a base URL and a key'}`,
        ...(check.dependsOn === undefined ? [] : [`After   ${check.dependsOn.join(', ')}`]),
        `Cost    at most ${cost.requests} requests and ${cost.tokens} tokens${check.phase === 'random' ? ' a run' : ''}`,
      ].join('\n'),
    )
    return 0
  },
}
