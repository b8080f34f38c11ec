import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { HarnessError } from '../harness-error.ts'
import { parseJson, textAt } from '../json.ts'
import { reasonOf } from '../report/outputs.ts'

/** A finished run, as `--report json=FILE` wrote it. */
export interface RunFile {
  readonly kind: 'conformance' | 'load'
  readonly path: string
  readonly text: string
  readonly document: unknown
}

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
  const schema = textAt(document, 'schema') ?? ''
  if (schema.startsWith('inference-assay/report/')) return { kind: 'conformance', path, text, document }
  if (schema.startsWith('inference-assay/load/')) return { kind: 'load', path, text, document }
  throw new HarnessError('usage', `${file} is not a JSON report of Assay; --report json=FILE writes one.`)
}
