import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import type { Check } from '../check/check.ts'
import { type KnownFailures, readKnownFailures, updateKnownFailures } from '../check/known-failures.ts'
import type { SealedResult } from '../check/sealed.ts'
import { HarnessError } from '../harness-error.ts'
import type { ConformanceSettings } from './conformance-options.ts'

type FileSettings = Pick<ConformanceSettings, 'knownFailures' | 'updateKnownFailures'>

/** The baseline that a run is held against; a file that is to be written need not be there yet. */
export function openBaseline(
  { knownFailures, updateKnownFailures: isUpdated }: FileSettings,
  checks: readonly Check[],
) {
  if (knownFailures === undefined) return new Map() as KnownFailures
  return readKnownFailures(textOf(knownFailures, isUpdated), knownFailures, new Set(checks.map(({ id }) => id)))
}

/** Writes the baseline anew where the user asked for it; what it holds then is what gates. */
export function refreshBaseline(
  settings: FileSettings,
  checks: readonly Check[],
  results: readonly SealedResult[],
): KnownFailures {
  const { knownFailures: file } = settings
  if (file !== undefined && settings.updateKnownFailures) {
    const day = new Date().toISOString().slice(0, 10)
    writeFileSync(file, updateKnownFailures(textOf(file, true), file, results, day))
  }
  return openBaseline(settings, checks)
}

function textOf(file: string, mayBeMissing: boolean): string {
  if (mayBeMissing && !existsSync(file)) return ''
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    const problem = error instanceof Error ? error.message.split('\n')[0] : error
    throw new HarnessError('usage', `--known-failures ${file} can not be read: ${problem}.`)
  }
}
