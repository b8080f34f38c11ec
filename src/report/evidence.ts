import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Counterexample } from '../check/verdict.ts'
import { HarnessError } from '../harness-error.ts'
import { at, isRecord, listAt, numberAt, parseJson, textAt } from '../json.ts'
import { makeFolder } from '../make-folder.ts'
import type { Prepared } from '../target/prepare.ts'
import type { RecordedExchange } from '../wire/recorded-exchange.ts'
import { renderJson } from './conformance/json.ts'
import { foldersOf, linkLatest, runFile, runFolder, targetFile } from './evidence-folder.ts'
import type { ReplayFacts, Report } from './report.ts'

/** What a replay needs to know about the run that left the evidence. */
export interface EvidenceOfCheck extends Partial<ReplayFacts> {
  readonly baseUrl: string
  readonly apiPath: string
  readonly model?: string
  readonly seed: number
  readonly runs: number
  readonly counterexample?: Counterexample
  /** Whether the check failed in that run: all exchanges of a run may be kept. */
  readonly hasFailed: boolean
}

/**
 * Writes the run into a folder of its own and, in one file per check, every exchange that was kept. All of it has been
 * redacted before.
 */
export function writeEvidence(folder: string, report: Report): void {
  const { target, run, prepared, replay, results } = report
  makeFolder(folder)
  writeFileSync(join(folder, runFile), renderJson(report))
  writeFileSync(join(folder, targetFile), `${JSON.stringify({ prepared, ...replay }, null, 2)}\n`)
  const again = {
    baseUrl: target.baseUrl,
    apiPath: target.apiPath,
    model: target.model,
    seed: run.seed,
    runs: run.runs,
    ...replay,
  }
  for (const { id, verdict, exchanges } of results) {
    if (exchanges.length === 0) continue
    writeFileSync(join(folder, `${id}.json`), `${JSON.stringify({ id, verdict, again, exchanges }, null, 2)}\n`)
  }
  linkLatest(folder)
}

/** The ids of the checks that failed in a run: the named one, or the newest in the folder. */
export function readFailed(folder: string): readonly string[] {
  const file = join(runFolder(folder), runFile)
  if (!existsSync(file)) throw new HarnessError('evidence-missing', `--failed: there is no last run in ${folder}.`)
  return resultsIn(file).flatMap(({ id, verdict }) => (verdict === 'fail' ? [id] : []))
}

/** The ids of all checks of a run: the named one, or the newest in the folder; none where only single checks left evidence. */
export function readSelected(folder: string): readonly string[] {
  const file = join(runFolder(folder), runFile)
  return existsSync(file) ? resultsIn(file).map(({ id }) => id) : []
}

function resultsIn(file: string): readonly { readonly id: string; readonly verdict: string | undefined }[] {
  return listAt(parseJson(readFileSync(file, 'utf8')), 'results').map((result) => ({
    id: textAt(result, 'id') ?? '',
    verdict: textAt(result, 'verdict'),
  }))
}

/** What a run knew about its target besides what its report says. */
export interface KnownTarget
  extends Pick<ReplayFacts, 'unavailableModel' | 'contextWindow' | 'long' | 'costly' | 'load' | 'nodesConfig'> {
  readonly prepared: Prepared
}

/** Undefined when the evidence does not hold it. */
export function readKnownTarget(folder: string): KnownTarget | undefined {
  const file = join(runFolder(folder), targetFile)
  const known = existsSync(file) ? parseJson(readFileSync(file, 'utf8')) : undefined
  return isKnownTarget(known) ? known : undefined
}

/** The first of the folders, or of those in them, that holds the evidence of just this run. */
export function evidenceOfRun(named: readonly string[], { run }: Pick<Report, 'run'>): string | undefined {
  return named
    .flatMap((folder) => foldersOf(folder, run.startedAt))
    .find((folder) => {
      if (!existsSync(join(folder, targetFile)) || !existsSync(join(folder, runFile))) return false
      const kept = parseJson(readFileSync(join(folder, runFile), 'utf8'))
      return textAt(kept, 'run', 'startedAt') === run.startedAt && numberAt(kept, 'run', 'seed') === run.seed
    })
}

function isKnownTarget(value: unknown): value is KnownTarget {
  return isRecord(value) && isRecord(value['prepared'])
}

/** The exchanges that were kept of a check; empty when it has no file. */
export function readExchanges(folder: string, id: string): readonly RecordedExchange[] {
  const file = join(runFolder(folder), `${id}.json`)
  if (!existsSync(file)) return []
  return listAt(parseJson(readFileSync(file, 'utf8')), 'exchanges') as readonly RecordedExchange[]
}

export function readEvidence(folder: string, id: string): EvidenceOfCheck {
  const file = join(runFolder(folder), `${id}.json`)
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch {
    throw new HarnessError('evidence-missing', `There is no evidence of ${id} in ${folder}.`)
  }
  const json = parseJson(text)
  const again = at(json, 'again')
  const baseUrl = textAt(again, 'baseUrl')
  const seed = numberAt(again, 'seed')
  if (!isRecord(again) || baseUrl === undefined || seed === undefined)
    throw new HarnessError('evidence-missing', `${file} is not the evidence of a check.`)
  const counterexample = readCounterexample(json)
  // The rest was written by `writeEvidence` and is trusted.
  const { model, ...facts } = again as unknown as ReplayFacts & { readonly model: string | null }
  return {
    ...facts,
    baseUrl,
    apiPath: textAt(again, 'apiPath') ?? '/api/v1',
    seed,
    runs: numberAt(again, 'runs') ?? 100,
    hasFailed: textAt(json, 'verdict', 'kind') === 'fail',
    ...(model === null ? {} : { model }),
    ...(counterexample === undefined ? {} : { counterexample }),
  }
}

function readCounterexample(json: unknown): Counterexample | undefined {
  const path = textAt(json, 'verdict', 'counterexample', 'path')
  const seed = numberAt(json, 'verdict', 'counterexample', 'seed')
  if (!isRecord(json) || path === undefined || seed === undefined) return undefined
  return { seed, path, value: textAt(json, 'verdict', 'counterexample', 'value') ?? '' }
}
