import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Counterexample } from '../check/verdict.ts'
import { HarnessError } from '../harness-error.ts'
import type { TargetConfig } from '../target/config.ts'
import { isRecord, listAt, numberAt, parseJson, textAt } from '../target/json.ts'
import type { Prepared } from '../target/prepare.ts'
import type { RecordedExchange } from '../wire/recorded-exchange.ts'
import { renderJson } from './json.ts'
import type { Report } from './report.ts'

const targetFile = 'target.json'

/** What a replay needs to know of the run that left the evidence. */
export interface EvidenceOfCheck {
  readonly baseUrl: string
  readonly apiPath: string
  readonly model?: string
  readonly unavailableModel?: string
  readonly seed: number
  readonly runs: number
  readonly counterexample?: Counterexample
}

/** Writes the run and, one file a check, every exchange that was kept. All of it has been redacted before. */
export function writeEvidence(folder: string, report: Report, config: TargetConfig): void {
  const { unavailableModel, contextWindow, long } = config
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'run.json'), renderJson(report))
  const known = { prepared: report.prepared, unavailableModel, contextWindow, long }
  writeFileSync(join(folder, targetFile), `${JSON.stringify(known, null, 2)}\n`)
  for (const { id, verdict, exchanges } of report.results) {
    if (exchanges.length === 0) continue
    const { target, run } = report
    const again = {
      baseUrl: target.baseUrl,
      apiPath: target.apiPath,
      model: target.model,
      unavailableModel,
      seed: run.seed,
      runs: run.runs,
    }
    writeFileSync(join(folder, `${id}.json`), `${JSON.stringify({ id, verdict, again, exchanges }, null, 2)}\n`)
  }
}

/** What a run knew of its target, beside what its report says; undefined where it was not kept. */
export interface KnownTarget extends Pick<TargetConfig, 'unavailableModel' | 'contextWindow' | 'long'> {
  readonly prepared: Prepared
}

export function readKnownTarget(folder: string): KnownTarget | undefined {
  const file = join(folder, targetFile)
  const known = existsSync(file) ? parseJson(readFileSync(file, 'utf8')) : undefined
  return isKnownTarget(known) ? known : undefined
}

function isKnownTarget(value: unknown): value is KnownTarget {
  return isRecord(value) && isRecord(value['prepared'])
}

/** The exchanges that were kept of a check; none where there is no file of it. */
export function readExchanges(folder: string, id: string): readonly RecordedExchange[] {
  const file = join(folder, `${id}.json`)
  if (!existsSync(file)) return []
  return listAt(parseJson(readFileSync(file, 'utf8')), 'exchanges') as readonly RecordedExchange[]
}

export function readEvidence(folder: string, id: string): EvidenceOfCheck {
  const file = join(folder, `${id}.json`)
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch {
    throw new HarnessError('evidence-missing', `There is no evidence of ${id} in ${folder}.`)
  }
  const json = parseJson(text)
  const baseUrl = textAt(json, 'again', 'baseUrl')
  const seed = numberAt(json, 'again', 'seed')
  if (baseUrl === undefined || seed === undefined)
    throw new HarnessError('evidence-missing', `${file} is no evidence of a check.`)
  const model = textAt(json, 'again', 'model')
  const unavailableModel = textAt(json, 'again', 'unavailableModel')
  const counterexample = readCounterexample(json)
  return {
    baseUrl,
    apiPath: textAt(json, 'again', 'apiPath') ?? '/api/v1',
    seed,
    runs: numberAt(json, 'again', 'runs') ?? 100,
    ...(model === undefined ? {} : { model }),
    ...(unavailableModel === undefined ? {} : { unavailableModel }),
    ...(counterexample === undefined ? {} : { counterexample }),
  }
}

function readCounterexample(json: unknown): Counterexample | undefined {
  const path = textAt(json, 'verdict', 'counterexample', 'path')
  const seed = numberAt(json, 'verdict', 'counterexample', 'seed')
  if (!isRecord(json) || path === undefined || seed === undefined) return undefined
  return { seed, path, value: textAt(json, 'verdict', 'counterexample', 'value') ?? '' }
}
