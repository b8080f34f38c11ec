import { Document, isMap, isScalar, parseDocument } from 'yaml'
import type { Check } from '../check/check.ts'
import type { Verdict } from '../check/verdict.ts'
import { didYouMean } from '../did-you-mean.ts'
import { HarnessError } from '../harness-error.ts'

/** Why a check may fail. A flaky one never fails the run, whether it fails or passes. */
export interface KnownFailure {
  readonly reason: string
  readonly flaky: boolean
}

export type KnownFailures = ReadonlyMap<string, KnownFailure>

type Judged = Pick<Check, 'level'> & { readonly id: string; readonly verdict: Verdict }

/**
 * Reads YAML or JSON that maps check ids to reasons, or to `reason` and `flaky: true`. Throws a usage error that names
 * the entry.
 */
export function readKnownFailures(text: string, source: string, ids: ReadonlySet<string>): KnownFailures {
  const document = parseFile(text, source)
  const known = new Map<string, KnownFailure>()
  for (const [id, entry] of Object.entries(Object(document.toJS() ?? {}))) {
    if (!ids.has(id))
      throw wrong(source, `"${id}" is not a check; ${didYouMean(id, ids).trim() || 'the command list prints all ids.'}`)
    known.set(id, readEntry(id, entry, source))
  }
  return known
}

function readEntry(id: string, entry: unknown, source: string): KnownFailure {
  const { reason, flaky = false } = typeof entry === 'string' ? { reason: entry } : Object(entry ?? {})
  if (typeof reason !== 'string' || reason.trim() === '') throw wrong(source, `"${id}" needs a reason`)
  if (typeof flaky !== 'boolean') throw wrong(source, `"flaky" of "${id}" must be true or false`)
  return { reason, flaky }
}

/** Entries whose check passes now: left in the file, they would hide the next failure. */
export function staleEntries(known: KnownFailures, results: readonly Judged[]): readonly string[] {
  return results
    .filter(({ id, verdict }) => verdict.kind === 'pass' && known.get(id)?.flaky === false)
    .map(({ id }) => id)
}

/**
 * The file's text without stale entries and with new failures; comments, order and reasons stay. `day` goes into the
 * reason of a new entry, which somebody has to replace with the real one.
 */
export function updateKnownFailures(text: string, source: string, results: readonly Judged[], day: string): string {
  const document = parseFile(text, source)
  const known = new Map(Object.entries(Object(document.toJS() ?? {})))
  for (const { id, level, verdict } of results) {
    const entry = known.get(id)
    const isFlaky = Object(entry).flaky === true
    if (verdict.kind === 'pass' && entry !== undefined && !isFlaky) document.delete(id)
    if (verdict.kind === 'fail' && level !== 'open' && entry === undefined)
      document.set(id, `not explained yet; first seen on ${day}`)
  }
  return isMap(document.contents) && document.contents.items.length > 0 ? document.toString() : ''
}

function parseFile(text: string, source: string): Document {
  const document = parseDocument(text, { uniqueKeys: true })
  const [error] = document.errors
  if (error !== undefined) throw wrong(source, error.message.split('\n')[0] ?? 'not YAML')
  const { contents } = document
  const isEmpty = contents === null || (isScalar(contents) && contents.value === null)
  if (!isEmpty && !isMap(contents)) throw wrong(source, 'it must hold check ids with their reasons')
  return isEmpty ? new Document({}) : document
}

function wrong(source: string, problem: string): HarnessError {
  return new HarnessError('usage', `--known-failures ${source}: ${problem.replace(/[.?]?$/, (end) => end || '.')}`)
}
