import type { SerializedResult } from '../../check/result.ts'
import { commandName } from '../../command-name.ts'
import type { Report } from '../report.ts'

/** The command that runs the check of a failure again. */
export function replayLine(
  { id }: Pick<SerializedResult, 'id'>,
  report: Pick<Report, 'target' | 'evidenceFolder'>,
): string {
  return `${commandName('replay')} ${id} --evidence ${report.evidenceFolder} --base-url ${report.target.baseUrl}`
}
