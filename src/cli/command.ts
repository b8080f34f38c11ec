import type { OptionTable } from '../options/parse.ts'

/** What a command may touch of the outside world. */
export interface CommandIo {
  /** A line for standard output. */
  out(line: string): void
  /** A line for standard error: progress, warnings, problems. */
  err(line: string): void
  /** A line from standard input; empty at its end. */
  ask(question: string): Promise<string>
  readonly env: Readonly<Record<string, string | undefined>>
  /** The folder that relative paths start from. */
  readonly folder: string
  /** Whether standard error is a terminal that a person watches. */
  readonly live: boolean
  /** Whether standard output is a terminal. */
  readonly terminal: boolean
  /** The width of that terminal; absent where standard output is none. */
  readonly columns?: number
  /** Whether standard output shows colours. */
  readonly color: boolean
  /** Ends the process at once, whatever is under way. */
  leave(exitCode: ExitCode): void
}

/**
 * 0 nothing required failed · 1 a failure · 2 usage · 3 nothing to judge, or incomplete · 4 the harness's own error ·
 * 130 interrupted.
 */
export type ExitCode = 0 | 1 | 2 | 3 | 4 | 130

export interface Command {
  /** What `--help` prints; it fits a screen. */
  readonly help: string
  readonly options: OptionTable
  /** What stands after its name besides options: names of checks or faults, or one of these words; else files, or nothing. */
  readonly operands?: 'checks' | 'faults' | readonly string[]
  run(args: readonly string[], io: CommandIo): Promise<ExitCode>
}
