import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import type { Check } from '../check/check.ts'
import type { SerializedResult } from '../check/result.ts'
import { HarnessError } from '../harness-error.ts'
import { type KnownFailures, readKnownFailures, updateKnownFailures } from './known-failures.ts'
import type { KnownFailuresFile } from './plan.ts'

/** The known failures of a run; a file that the run will write need not exist yet. */
export function openKnownFailures(file: KnownFailuresFile | undefined, checks: readonly Check[]): KnownFailures {
  if (file === undefined) return new Map()
  return readKnownFailures(textOf(file.path, file.update), file.path, new Set(checks.map(({ id }) => id)))
}

/** Rewrites the file if the user asked for it; the gate uses the rewritten list. */
export function refreshKnownFailures(
  file: KnownFailuresFile | undefined,
  checks: readonly Check[],
  results: readonly SerializedResult[],
): KnownFailures {
  if (file?.update === true) {
    const day = new Date().toISOString().slice(0, 10)
    writeFileSync(file.path, updateKnownFailures(textOf(file.path, true), file.path, results, day))
  }
  return openKnownFailures(file, checks)
}

function textOf(path: string, mayBeMissing: boolean): string {
  if (mayBeMissing && !existsSync(path)) return ''
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    const problem = error instanceof Error ? error.message.split('\n')[0] : error
    throw new HarnessError('usage', `--known-failures ${path} cannot be read: ${problem}.`)
  }
}
