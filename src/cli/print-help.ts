import { wrapLines } from '../report/wrap.ts'
import type { Command, CommandIo } from './command.ts'

/** What `--help` of a command prints, in lines that fit the terminal. */
export function printHelp({ help }: Pick<Command, 'help'>, { out, columns }: Pick<CommandIo, 'out' | 'columns'>): void {
  out(wrapLines(help, columns))
}
