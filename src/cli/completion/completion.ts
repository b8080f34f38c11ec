import { allFaults } from '../../../detection/catalogue.ts'
import { checks } from '../../../suites/index.ts'
import { commandName } from '../../command-name.ts'
import { didYouMean } from '../../did-you-mean.ts'
import { HarnessError } from '../../harness-error.ts'
import { parseOptions } from '../../options/parse.ts'
import { shared } from '../../options/shared.ts'
import type { Command } from '../command.ts'
import { printHelp } from '../print-help.ts'
import { completionScript, type Shell, shells } from './shells.ts'

const options = { help: shared.help } as const

const help = `${commandName('completion')} bash|zsh|fish

Prints what makes a shell complete the commands, options, checks and faults of an installed assay:
  bash  source <(assay completion bash)        in ~/.bashrc
  zsh   source <(assay completion zsh)         in ~/.zshrc, after compinit
  fish  assay completion fish | source         in ~/.config/fish/config.fish`

type Commands = Readonly<Record<string, { readonly summary: string; load(): Promise<Command> }>>

/** `assay completion SHELL`: what makes a shell complete commands, options, checks and faults of an installed `assay`. */
export function completionOf(commands: Commands): Command {
  return {
    help,
    options,
    operands: shells,
    async run(args, io) {
      const { values, positionals } = parseOptions(options, args, {})
      if (values.help === true) {
        printHelp({ help }, io)
        return 0
      }
      const shell = shellNamed(positionals[0] ?? '')
      const known = Object.entries(commands).map(async ([name, { summary, load }]) => ({
        ...(await load()),
        name,
        summary,
      }))
      const names = { checks: checks.map(({ id }) => id), faults: Object.keys(allFaults) }
      io.out(completionScript(shell, await Promise.all(known), names))
      return 0
    },
  }
}

function shellNamed(given: string): Shell {
  const shell = shells.find((one) => one === given)
  if (shell !== undefined) return shell
  throw new HarnessError(
    'usage',
    `completion takes one of ${shells.join(', ')}; got "${given}".${didYouMean(given, shells)}`,
  )
}
