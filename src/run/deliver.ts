import { writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { checks } from '../../suites/index.ts'
import { readContract } from '../fixtures.ts'
import { type RenderContext, type ReportFormat, reportFormats } from '../report/conformance/formats.ts'
import { writeEvidence } from '../report/evidence.ts'
import type { Report } from '../report/report.ts'
import type { Rules } from '../report/rule.ts'
import { type Delivery, evidenceFolder } from './settings.ts'

export interface DeliveryIo {
  /** A text for standard output. */
  out(text: string): void
  /** The folder that relative paths start from. */
  readonly folder: string
  /** Whether standard output shows colours. */
  readonly color: boolean
}

/** Writes evidence and reports. Returns the evidence folder, if any evidence was written. */
export function deliver(report: Report, delivery: Delivery, io: DeliveryIo): string | undefined {
  const failed = report.results.some(({ verdict }) => verdict.kind === 'fail' || verdict.kind === 'error')
  const evidence = delivery.evidence ?? (failed ? resolve(io.folder, evidenceFolder) : undefined)
  if (evidence !== undefined) writeEvidence(evidence, report)
  for (const { format, file } of delivery.reports) {
    const color = delivery.color && io.color && file === undefined
    const text = renderReport(format, report, { ...delivery, color, ...(file !== undefined && { file }) })
    if (file === undefined) io.out(text.trimEnd())
    else writeFileSync(file, text)
  }
  return evidence
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
