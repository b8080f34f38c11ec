import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import type { Check } from '../check/check.ts'
import type { SerializedResult } from '../check/result.ts'
import { HarnessError } from '../harness-error.ts'
import { reasonOf, tryFile } from '../report/outputs.ts'
import { type KnownFailures, readKnownFailures, updateKnownFailures } from './known-failures.ts'
import type { KnownFailuresFile } from './plan.ts'

/** The known failures of a run; a file that the run will write need not exist yet, but it must be possible to write it. */
export function openKnownFailures(file: KnownFailuresFile | undefined, checks: readonly Check[]): KnownFailures {
  if (file === undefined) return new Map()
  if (file.update) tryFile(`--known-failures ${file.path}`, file.path)
  return knownIn(textOf(file.path, file.update), file.path, checks)
}

/** Rewrites the file if the user asked for it; the gate uses the rewritten list, written or not. */
export function refreshKnownFailures(
  file: KnownFailuresFile | undefined,
  checks: readonly Check[],
  results: readonly SerializedResult[],
  notice: (line: string) => void,
): KnownFailures {
  if (file?.update !== true) return openKnownFailures(file, checks)
  const day = new Date().toISOString().slice(0, 10)
  const text = updateKnownFailures(textOf(file.path, true), file.path, results, day)
  try {
    writeFileSync(file.path, text)
  } catch (error) {
    notice(`--known-failures ${file.path} was not rewritten: ${reasonOf(error)}.`)
  }
  return knownIn(text, file.path, checks)
}

function knownIn(text: string, source: string, checks: readonly Check[]): KnownFailures {
  return readKnownFailures(text, source, new Set(checks.map(({ id }) => id)))
}

function textOf(path: string, mayBeMissing: boolean): string {
  if (mayBeMissing && !existsSync(path)) return ''
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw new HarnessError('unreadable', `--known-failures ${path} cannot be read: ${reasonOf(error)}.`)
  }
}
