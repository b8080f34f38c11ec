import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { HarnessError } from '../harness-error.ts'
import { at, parseJson, textAt } from '../json.ts'
import { reasonOf } from '../report/outputs.ts'

/** A finished run, as `--report json=FILE` wrote it. */
export interface RunFile {
  readonly kind: 'conformance' | 'load'
  readonly path: string
  readonly text: string
  readonly document: unknown
}

/** What every report of a kind has; a file that was cut or edited may have lost some of it. */
const parts = {
  conformance: ['target', 'run', 'gate', 'summary', 'results'],
  load: ['target', 'plan', 'run', 'gate', 'outcomes', 'metrics', 'validity'],
} as const

/** Throws a usage error that names the file as the user did. */
export function readRunFile(folder: string, file: string): RunFile {
  const path = resolve(folder, file)
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    throw new HarnessError('unreadable', `${file} cannot be read: ${reasonOf(error)}.`)
  }
  const document = parseJson(text)
  const [, name, version] = /^inference-assay\/(report|load)\/(\d+)$/.exec(textAt(document, 'schema') ?? '') ?? []
  if (name === undefined)
    throw new HarnessError('usage', `${file} is not a JSON report of Assay; --report json=FILE writes one.`)
  if (version !== '1')
    throw new HarnessError('usage', `${file} is a report of form ${version}, and this release reads form 1.`)
  const kind = name === 'report' ? 'conformance' : 'load'
  const missing = parts[kind].find((name) => at(document, name) === undefined)
  if (missing !== undefined) throw new HarnessError('usage', `${file} is not a whole report: it has no "${missing}".`)
  return { kind, path, text, document }
}
