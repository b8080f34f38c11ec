import { relative } from 'node:path'
import { commandName } from '../command-name.ts'
import { readContract } from '../fixtures.ts'
import { HarnessError } from '../harness-error.ts'
import { conformanceOptions } from '../options/conformance.ts'
import { helpOf, parseOptions } from '../options/parse.ts'
import { formatNamed, readReports } from '../options/report.ts'
import { shared } from '../options/shared.ts'
import { optional } from '../options/target.ts'
import { type RenderContext, reportFormats } from '../report/conformance/formats.ts'
import { type Evidence, type JsonReport, readJson } from '../report/conformance/json.ts'
import { readExchanges } from '../report/evidence.ts'
import { evidenceHome } from '../report/evidence-folder.ts'
import { loadFormats } from '../report/load/formats.ts'
import { readLoadJson } from '../report/load/json.ts'
import { type Output, pagesInFiles, tryOutputs, writeOutputs } from '../report/outputs.ts'
import { renderRunsPage } from '../report/pages/runs.ts'
import { renderReport } from '../run/deliver.ts'
import type { Command, CommandIo, ExitCode } from './command.ts'
import { evidenceFor, evidenceIfAny } from './evidence-for.ts'
import { printHelp } from './print-help.ts'
import { type RunFile, readRunFile } from './run-file.ts'

const options = {
  report: {
    kind: 'list',
    value: 'FORMAT[=FILE]',
    about: `for a conformance run: ${Object.keys(reportFormats).join(', ')}; for a load run: ${Object.keys(loadFormats).join(', ')}; for several conformance runs: html (repeatable; terminal)`,
  },
  evidence: {
    kind: 'text',
    value: 'DIR',
    about: `where the exchanges are (the folder of RUN.json, or ${evidenceHome})`,
  },
  quiet: conformanceOptions.quiet,
  verbose: conformanceOptions.verbose,
  'no-color': conformanceOptions['no-color'],
  help: shared.help,
} as const

type RenderOptions = Omit<RenderContext, 'contract' | 'rules'>

/** `assay report RUN.json`: renders a finished run in other formats, or several as one page, without running them again. */
export const report: Command = {
  help: `${commandName('report')} RUN.json [RUN.json…] [options]\n\n${helpOf(options)}`,
  options,
  async run(args, io) {
    const { values, positionals } = parseOptions(options, args, io.env)
    if (values.help === true) {
      printHelp(report, io)
      return 0
    }
    const runs = positionals.map((file) => readRunFile(io.folder, file))
    const [run, ...others] = runs
    if (run === undefined) throw new HarnessError('usage', 'report takes files written by --report json=FILE.')
    if (others.length > 0) return reportOfSeveral(runs, values.report, io)
    const table: Readonly<Record<string, unknown>> = run.kind === 'load' ? loadFormats : reportFormats
    const outputs = pagesInFiles(readReports(table, values.report, io.folder), io)
    tryOutputs(outputs)
    const evidence = evidenceOf(run, values.evidence, io)
    const textOf = ({ format, file: target }: Output<string>): string =>
      render(run, format, evidence, {
        quiet: values.quiet ?? false,
        verbose: values.verbose ?? false,
        color: io.color && values['no-color'] !== true && target === undefined,
        ...optional(target === undefined ? { columns: io.columns } : { file: target }),
      })
    const problems = writeOutputs(outputs, textOf, (text) => io.out(text))
    for (const problem of problems) io.err(problem)
    return problems.length === 0 ? 0 : 4
  },
}

/** Several runs are one page. */
function reportOfSeveral(runs: readonly RunFile[], given: readonly string[] | undefined, io: CommandIo): ExitCode {
  if (runs.some(({ kind }) => kind === 'load'))
    throw new HarnessError(
      'usage',
      'Several runs are shown side by side only if they are conformance runs; compare takes two load runs.',
    )
  if (given === undefined)
    throw new HarnessError('usage', 'Several runs make a page: name its file with --report html=FILE.')
  const outputs = readReports({ html: reportFormats.html }, given, io.folder)
  tryOutputs(outputs)
  const read = runs.map((run) => ({
    document: run.document,
    report: readJson(run.document as JsonReport, evidenceOf(run, undefined, io)),
  }))
  const problems = writeOutputs(
    outputs,
    () => renderRunsPage(read, readContract()),
    (text) => io.out(text),
  )
  for (const problem of problems) io.err(problem)
  return problems.length === 0 ? 0 : 4
}

/** The exchanges of a run: beside its file, or where runs leave them, unless a folder is named. */
function evidenceOf(
  run: RunFile,
  named: string | undefined,
  { folder, err }: Pick<CommandIo, 'folder' | 'err'>,
): Evidence {
  if (run.kind === 'load') return { folder: '.', exchangesOf: () => [] }
  const kept = named === undefined ? evidenceIfAny(run, named, folder) : evidenceFor(run, named, folder)
  if (kept === undefined) {
    err(
      `The evidence of ${relative(folder, run.path)} was not found: its exchanges are left out. --evidence DIR names its folder.`,
    )
    return { folder: evidenceHome, exchangesOf: () => [] }
  }
  return { folder: relative(folder, kept) || '.', exchangesOf: (id) => readExchanges(kept, id) }
}

function render(run: RunFile, format: string, evidence: Evidence, options: RenderOptions): string {
  if (run.kind === 'load') return loadFormats[formatNamed(loadFormats, format)].render(readLoadJson(run.text), options)
  return renderReport(formatNamed(reportFormats, format), readJson(run.document as JsonReport, evidence), options)
}
