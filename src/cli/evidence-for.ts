import { dirname, relative, resolve } from 'node:path'
import { HarnessError } from '../harness-error.ts'
import type { JsonReport } from '../report/conformance/json.ts'
import { evidenceOfRun } from '../report/evidence.ts'
import { evidenceHome } from '../report/evidence-folder.ts'
import type { RunFile } from './run-file.ts'

/** Where a run may have left its evidence: in the folder that is named, else beside its report, and where runs leave it. */
function placesOf({ path }: RunFile, named: string | undefined, folder: string): readonly string[] {
  return named === undefined ? [dirname(path), resolve(folder, evidenceHome)] : [resolve(folder, named)]
}

/** The folder with the evidence of just this run, and of no other; undefined where there is none. */
export function evidenceIfAny(run: RunFile, named: string | undefined, folder: string): string | undefined {
  return evidenceOfRun(placesOf(run, named, folder), run.document as JsonReport)
}

/** The same. Throws `HarnessError` where there is none. */
export function evidenceFor(run: RunFile, named: string | undefined, folder: string): string {
  const found = evidenceIfAny(run, named, folder)
  if (found !== undefined) return found
  const places = placesOf(run, named, folder).map((place) => relative(folder, place) || '.')
  const file = relative(folder, run.path)
  throw new HarnessError('evidence-missing', `There is no evidence of the run of ${file} in ${places.join(' or ')}.`)
}
