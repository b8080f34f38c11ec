import { commandName } from '../command-name.ts'
import { helpOf, parseOptions } from '../options/parse.ts'
import { saidOf } from '../report/said.ts'
import { run } from '../run/run.ts'
import { checkNamed } from './check-named.ts'
import type { Command, ExitCode } from './command.ts'
import { printHelp } from './print-help.ts'
import { replayOptions, replayPlan } from './replay-plan.ts'

/** `assay replay ID`: runs one check again from its evidence, on the same target or another. */
export const replay: Command = {
  help: `${commandName('replay')} ID [options]\n\nSays whether a failure is fixed (0), still failing (1) or not reproducible (3). What a check sees only\nbehind a whole run is replayed with one. Nodes and the control API are those of the run unless given;\nkeys, tokens and headers must be given again.\n\n${helpOf(replayOptions)}`,
  options: replayOptions,
  operands: 'checks',
  async run(args, io) {
    const { values, positionals } = parseOptions(replayOptions, args, io.env)
    if (values.help === true) {
      printHelp(replay, io)
      return 0
    }
    const check = checkNamed(positionals[0])
    const { plan, hasFailed } = replayPlan(check, values, io.folder)
    const { results, target } = await run(plan)
    io.err(`Asked ${target.baseUrl}${target.apiPath}.`)
    const result = results.find(({ id }) => id === check.id)
    const verdict = result?.verdict
    if (verdict?.kind === 'fail')
      return say(1, `${check.id}: still failing: ${verdict.what}: expected ${verdict.expected}, got ${verdict.actual}`)
    if (verdict?.kind === 'pass' || verdict?.kind === 'observed')
      return say(0, `${check.id}: ${hasFailed ? 'fixed' : 'did not fail in that run, and passes now'}`)
    return say(3, `${check.id}: not reproducible: ${result === undefined ? 'it was not asked' : saidOf(result)}`)

    function say(exitCode: ExitCode, line: string): ExitCode {
      io.out(line)
      return exitCode
    }
  },
}
