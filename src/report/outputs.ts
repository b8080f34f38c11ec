import { closeSync, openSync, rmdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { HarnessError } from '../harness-error.ts'
import { makeFolder } from '../make-folder.ts'

/** A text that a command writes: to a file, or to standard output. */
export interface Output<Name extends string> {
  readonly format: Name
  /** Absent for standard output. */
  readonly file?: string
}

/** A page that nobody gave a file gets one where standard output is a terminal, which would show its source. */
export function pagesInFiles<Name extends string>(
  outputs: readonly Output<Name>[],
  { terminal, folder, err }: { readonly terminal: boolean; readonly folder: string; err(line: string): void },
): readonly Output<Name>[] {
  return outputs.map((output) => {
    if (!terminal || output.format !== 'html' || output.file !== undefined) return output
    err('--report html is written to assay.html; --report html=FILE names another file.')
    return { ...output, file: resolve(folder, 'assay.html') }
  })
}

/**
 * Makes the folder of each file that a command will write and tries to write there: a path that cannot be written is
 * found before the work and not after it.
 */
export function tryOutputs(outputs: readonly Output<string>[]): void {
  const files = new Set<string>()
  for (const { format, file } of outputs) {
    if (file === undefined) continue
    tryFile(`--report ${format}=${file}`, file)
    if (files.has(file)) throw new HarnessError('usage', `Two reports have the same file, ${file}: name another one.`)
    files.add(file)
  }
}

/** As `tryOutputs`, for one file; `option` names it in the error. */
export function tryFile(option: string, file: string): void {
  try {
    makeFolder(dirname(file))
    tryWriting(file)
  } catch (error) {
    throw new HarnessError('unwritable', `${option} cannot be written: ${reasonOf(error)}.`)
  }
}

/** Why nothing can be written into a folder; undefined if it can. Leaves no folder behind that was not there. */
export function folderProblem(folder: string): string | undefined {
  let made: string | undefined
  try {
    made = makeFolder(folder)
    tryWriting(join(folder, 'assay-writes-here'))
    return undefined
  } catch (error) {
    return reasonOf(error)
  } finally {
    removeEmpty(folder, made)
  }
}

/**
 * Writes each text where it belongs. One that cannot be made or written never keeps another from being written; returns a
 * line for each of these.
 */
export function writeOutputs<Name extends string>(
  outputs: readonly Output<Name>[],
  textOf: (output: Output<Name>) => string,
  out: (text: string) => void,
): readonly string[] {
  return outputs.flatMap((output) => {
    const { format, file } = output
    try {
      const text = textOf(output)
      if (file === undefined) out(text.trimEnd())
      else writeFileSync(file, text)
      return []
    } catch (error) {
      return [`--report ${format}${file === undefined ? '' : `=${file}`} was not written: ${reasonOf(error)}.`]
    }
  })
}

/** What a run has to say, and to whom. */
interface Delivered<Name extends string> {
  readonly textOf: (output: Output<Name | 'terminal'>) => string
  /** How it ended, in a line or two. */
  readonly ending: () => string
  readonly quiet: boolean
  /** What could not be written before. */
  readonly problems?: readonly string[]
}

/**
 * Writes the reports of a run. Where one could not be written, the terminal report comes in its place; a person who asked for files
 * still hears how it ended. Returns whether all was written.
 */
export function deliverOutputs<Name extends string>(
  outputs: readonly Output<Name | 'terminal'>[],
  { textOf, ending, quiet, problems: before = [] }: Delivered<Name>,
  io: { out(text: string): void; err(line: string): void },
): boolean {
  const problems = [...before, ...writeOutputs(outputs, textOf, (text) => io.out(text))]
  for (const problem of problems) io.err(problem)
  const printed = outputs.filter(({ file }) => file === undefined)
  if (problems.length > 0 && !printed.some(({ format }) => format === 'terminal'))
    io.err(textOf({ format: 'terminal' }).trimEnd())
  else if (printed.length === 0 && !quiet) io.out(ending().trimEnd())
  return problems.length === 0
}

/** Where the system's words say too little. */
const reasons: Readonly<Record<string, string>> = {
  EEXIST: 'there is a file where a folder should be',
  ENOTDIR: 'there is a file where a folder should be',
  EISDIR: 'it is a folder',
}

/** The system's words, without the path that the sentence names anyway. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const known = 'code' in error ? reasons[String(error.code)] : undefined
  if (known !== undefined) return known
  return 'code' in error ? (error.message.split(', ')[0] ?? error.message) : (error.stack ?? error.message)
}

/** Opens a file as a write would, and leaves it as it was. A pipe or a device is not opened twice. */
function tryWriting(file: string): void {
  const there = statSync(file, { throwIfNoEntry: false })
  if (there !== undefined && !there.isFile() && !there.isDirectory()) return
  closeSync(openSync(file, there === undefined ? 'wx' : 'r+'))
  if (there === undefined) rmSync(file)
}

/** Removes a folder and those above it up to the first one that was made, as far as they are empty. */
function removeEmpty(folder: string, first: string | undefined): void {
  if (first === undefined) return
  try {
    rmdirSync(folder)
    if (folder !== first) removeEmpty(dirname(folder), first)
  } catch {
    // Somebody else has put something there.
  }
}
