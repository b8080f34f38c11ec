import { version } from '../fixtures.ts'
import { HarnessError } from '../harness-error.ts'
import type { Command, CommandIo, ExitCode } from './command.ts'

/** Loaded only when they are called, so that `--version` answers at once. */
const commands: Readonly<Record<string, { readonly about: string; readonly load: () => Promise<Command> }>> = {
  conformance: {
    about: 'hold a gateway against the contract, clause by clause',
    load: async () => (await import('./conformance.ts')).conformance,
  },
  load: {
    about: 'measure how fast a gateway streams, judging every stream',
    load: async () => (await import('./load.ts')).load,
  },
  gateway: { about: 'run the reference gateway', load: async () => (await import('./gateway.ts')).gateway },
  node: { about: 'run an operator node', load: async () => (await import('./node.ts')).node },
  list: {
    about: 'print clauses, statements and checks, and what is uncovered',
    load: async () => (await import('./list.ts')).list,
  },
  explain: {
    about: 'say what a check asks, why, and how to fix what it finds',
    load: async () => (await import('./explain.ts')).explain,
  },
  replay: { about: 'run one check again from its evidence', load: async () => (await import('./replay.ts')).replay },
  report: {
    about: 'render a finished run in other formats',
    load: async () => (await import('./report.ts')).report,
  },
  verify: {
    about: 'recompute the verdicts of a run from its evidence',
    load: async () => (await import('./verify.ts')).verify,
  },
  compare: {
    about: 'compare two runs: verdicts, observations, load figures',
    load: async () => (await import('./compare.ts')).compare,
  },
  detection: {
    about: 'referee the referee: what is caught, and who is accused wrongly',
    load: async () => (await import('./detection.ts')).detection,
  },
}

const io: CommandIo = {
  out: (line) => process.stdout.write(`${line}\n`),
  err: (line) => process.stderr.write(`${line}\n`),
  env: process.env,
  folder: process.env['INIT_CWD'] ?? process.cwd(),
  live: process.stderr.isTTY === true,
  color: process.stdout.isTTY === true && (process.env['NO_COLOR'] ?? '') === '',
}

function usage(): string {
  const rows = Object.entries(commands).map(([name, { about }]) => `  ${name.padEnd(13)}${about}`)
  return [
    'assay COMMAND [options]',
    '',
    ...rows,
    '',
    'assay COMMAND --help shows the options of a command; assay --version the release.',
  ].join('\n')
}

async function main([name, ...args]: readonly string[]): Promise<ExitCode> {
  if (name === '--version') io.out(version)
  else if (name === undefined || name === '--help') io.out(usage())
  else {
    const command = commands[name]
    if (command === undefined) throw new HarnessError('usage', `There is no command "${name}".\n${usage()}`)
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
// What was written to a pipe has to be out before the process is.
process.stdout.write('', () => process.exit(exitCode))
