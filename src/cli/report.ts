import { writeFileSync } from 'node:fs'
import { dirname, relative, resolve } from 'node:path'
import { HarnessError } from '../harness-error.ts'
import { readExchanges } from '../report/evidence.ts'
import { type Evidence, type JsonReport, readJson } from '../report/json.ts'
import { readLoadJson } from '../report/load-json.ts'
import type { Command } from './command.ts'
import { reportFormats } from './conformance-options.ts'
import { conformanceOptions } from './conformance-table.ts'
import { loadFormats } from './load-options.ts'
import { helpOf, parseOptions } from './options.ts'
import { renderLoadReport } from './render-load-report.ts'
import { type RenderOptions, renderReport } from './render-report.ts'
import { type RunFile, readRunFile } from './run-file.ts'

const options = {
  report: {
    kind: 'list',
    value: 'FORMAT[=FILE]',
    about: `of a conformance run: ${reportFormats.join(', ')}; of a load: ${loadFormats.join(', ')} (repeatable; terminal)`,
  },
  evidence: { kind: 'text', value: 'DIR', about: 'where the exchanges are (the folder of RUN.json)' },
  quiet: conformanceOptions.quiet,
  verbose: conformanceOptions.verbose,
  'no-color': conformanceOptions['no-color'],
  help: { kind: 'flag', about: 'print this' },
} as const

/** `assay report RUN.json`: a finished run in other formats, without running it again. */
export const report: Command = {
  summary: 'render a finished run in other formats',
  help: `assay report RUN.json [options]\n\n${helpOf(options)}`,
  async run(args, io) {
    const { values, positionals } = parseOptions(options, args, io.env)
    if (values.help === true) {
      io.out(report.help)
      return 0
    }
    const [file, ...rest] = positionals
    if (file === undefined || rest.length > 0)
      throw new HarnessError('usage', 'assay report takes one file that --report json=FILE wrote.')
    const run = readRunFile(io.folder, file)
    const kept = resolve(io.folder, values.evidence ?? dirname(run.path))
    const evidence: Evidence = {
      folder: relative(io.folder, kept) || '.',
      exchangesOf: (id) => readExchanges(kept, id),
    }
    for (const one of values.report ?? ['terminal']) {
      const [format = '', ...path] = one.split('=')
      const target = path.length === 0 ? undefined : resolve(io.folder, path.join('='))
      const text = render(run, format, evidence, {
        quiet: values.quiet ?? false,
        verbose: values.verbose ?? false,
        color: io.color && values['no-color'] !== true && target === undefined,
        ...(target !== undefined && { file: target }),
      })
      if (target === undefined) io.out(text.trimEnd())
      else writeFileSync(target, text)
    }
    return 0
  },
}

function render(run: RunFile, format: string, evidence: Evidence, options: RenderOptions): string {
  if (run.kind === 'load') return renderLoadReport(formatOf(loadFormats, format), readLoadJson(run.text), options)
  return renderReport(formatOf(reportFormats, format), readJson(run.document as JsonReport, evidence), options)
}

function formatOf<F extends string>(formats: readonly F[], name: string): F {
  const format = formats.find((one) => one === name)
  if (format === undefined)
    throw new HarnessError('usage', `--report must be one of: ${formats.join(', ')}; got "${name}".`)
  return format
}
