import { dirname } from 'node:path'
import { checks } from '../../suites/index.ts'
import { readContract } from '../fixtures.ts'
import { HarnessError } from '../harness-error.ts'
import { optional } from '../options/target.ts'
import { type RenderContext, type ReportFormat, reportFormats } from '../report/conformance/formats.ts'
import { writeEvidence } from '../report/evidence.ts'
import { deliverOutputs, folderProblem, type Output, reasonOf, tryOutputs } from '../report/outputs.ts'
import type { Report } from '../report/report.ts'
import type { Rules } from '../report/rule.ts'
import type { Delivery } from './settings.ts'

export interface DeliveryIo {
  /** A text for standard output. */
  out(text: string): void
  /** A line for standard error. */
  err(line: string): void
  /** Whether standard output shows colours. */
  readonly color: boolean
  /** The width of standard output where that is a terminal. */
  readonly columns?: number
}

/**
 * Tries every place that a run will write to, before its first request. Throws a usage error for one that was asked for;
 * says so where only the evidence of failures has no place.
 */
export function tryDelivery({ reports, evidence }: Delivery, err: DeliveryIo['err']): void {
  tryOutputs(reports)
  const problem = folderProblem(evidence.folder)
  if (problem === undefined) return
  const home = dirname(evidence.folder)
  if (evidence.isAsked) throw new HarnessError('unwritable', `--evidence ${home} cannot be written: ${problem}.`)
  err(`Evidence of failures cannot be kept in ${home} (${problem}): name a folder with --evidence.`)
}

/**
 * Writes evidence and reports. What cannot be written keeps nothing else from being written, and the terminal report
 * comes in its place. Returns whether all of it was written.
 */
export function deliver(report: Report, delivery: Delivery, io: DeliveryIo): boolean {
  const atTerminal = { color: delivery.color && io.color, ...optional({ columns: io.columns }) }
  const textOf = ({ format, file }: Output<ReportFormat>): string => {
    return renderReport(format, report, { ...delivery, ...(file === undefined ? atTerminal : { color: false, file }) })
  }
  const ending = (): string => renderReport('terminal', report, { ...delivery, ...atTerminal, quiet: true })
  const problems = keepEvidence(report, delivery, io.err)
  return deliverOutputs(delivery.reports, { textOf, ending, problems, quiet: delivery.quiet }, io)
}

/** Says where the evidence is; returns a line if it could not be written. */
function keepEvidence(report: Report, { evidence, quiet }: Delivery, err: DeliveryIo['err']): readonly string[] {
  const failed = report.results.some(({ verdict }) => verdict.kind === 'fail' || verdict.kind === 'error')
  if (!failed && !evidence.isAsked) return []
  try {
    writeEvidence(evidence.folder, report)
  } catch (error) {
    return [`The evidence was not written to ${evidence.folder}: ${reasonOf(error)}.`]
  }
  if (!quiet) err(`Evidence is in ${evidence.folder}.`)
  return []
}

/** One run in one format. */
export function renderReport(
  format: ReportFormat,
  report: Report,
  options: Omit<RenderContext, 'contract' | 'rules'>,
): string {
  const contract = readContract()
  const statements = new Map(contract.flatMap((clause) => clause.statements.map(({ id, text }) => [id, text])))
  const rules: Rules = new Map(
    checks.map(({ id, level, clause, why, fix, states }) => [
      id,
      { id, level, clause, why, fix, statements: states.map((state) => statements.get(state) ?? state) },
    ]),
  )
  return reportFormats[format].render(report, { ...options, contract, rules })
}
