import { createInterface } from 'node:readline'
import { commandName, userFolder } from '../command-name.ts'
import { didYouMean } from '../did-you-mean.ts'
import { version } from '../fixtures.ts'
import { HarnessError } from '../harness-error.ts'
import { columnsUsual, wrapLines } from '../report/wrap.ts'
import type { CommandIo, ExitCode } from './command.ts'
import { commands } from './commands.ts'
import { printable } from './printable.ts'

/** Lines of standard input, once a command has asked for one. */
let answers: AsyncIterator<string, undefined> | undefined

const isColored = process.stdout.isTTY === true && (process.env['NO_COLOR'] ?? '') === ''

/** The width of a terminal, of which some do not know their own; undefined where there is none. */
function columnsOf({ isTTY, columns }: NodeJS.WriteStream): number | undefined {
  return isTTY === true ? columns || columnsUsual : undefined
}

const columns = columnsOf(process.stdout)
const io: CommandIo = {
  out: (line) => process.stdout.write(`${printable(line, isColored)}\n`),
  err: (line) => process.stderr.write(`${wrapLines(printable(line, isColored), columnsOf(process.stderr))}\n`),
  async ask(question) {
    process.stderr.write(question)
    answers ??= createInterface({ input: process.stdin })[Symbol.asyncIterator]()
    return (await answers.next()).value ?? ''
  },
  env: process.env,
  folder: userFolder,
  live: process.stderr.isTTY === true,
  leave: (code) => process.exit(code),
  terminal: process.stdout.isTTY === true,
  ...(columns !== undefined && { columns }),
  color: isColored,
}

function usage(): string {
  const rows = Object.entries(commands).map(([name, { summary }]) => `  ${name.padEnd(13)}${summary}`)
  return [
    `${commandName('COMMAND')} [options]`,
    '',
    ...rows,
    '',
    'COMMAND --help shows the options of a command; --version shows the release.',
  ].join('\n')
}

async function main([name, ...args]: readonly string[]): Promise<ExitCode> {
  if (name === '--version') io.out(version)
  else if (name === undefined || ['--help', '-h', 'help'].includes(name)) io.out(wrapLines(usage(), io.columns))
  else {
    const command = commands[name]
    if (command === undefined) {
      const meant = didYouMean(name, Object.keys(commands))
      throw new HarnessError('usage', `There is no command "${name}".${meant === '' ? `\n${usage()}` : meant}`)
    }
    if (args.includes('--version')) io.out(version)
    else return (await command.load()).run(args, io)
  }
  return 0
}

let exitCode: ExitCode
try {
  exitCode = await main(process.argv.slice(2))
} catch (error) {
  const known = error instanceof HarnessError
  io.err(known ? error.message : `The harness itself failed: ${error instanceof Error ? error.stack : error}`)
  exitCode = known ? error.exitCode : 4
}
// What was written to a pipe must be flushed before the process exits.
process.stdout.write('', () => process.exit(exitCode))
