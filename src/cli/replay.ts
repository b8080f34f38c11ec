import { resolve } from 'node:path'
import { checks } from '../../suites/index.ts'
import { judge } from '../check/judge.ts'
import { HarnessError } from '../harness-error.ts'
import { readEvidence } from '../report/evidence.ts'
import type { Command, ExitCode } from './command.ts'
import { readConformanceSettings } from './conformance-options.ts'
import { conformanceOptions } from './conformance-table.ts'
import { helpOf, parseOptions } from './options.ts'

const options = {
  evidence: { kind: 'text', value: 'DIR', about: 'the folder that the run wrote (assay-evidence)' },
  'base-url': { kind: 'text', value: 'URL', about: 'another target than that of the run' },
  'api-key': { kind: 'text', value: 'KEY', about: 'the key; better in ASSAY_API_KEY' },
  'second-key': conformanceOptions['second-key'],
  'revoked-key': conformanceOptions['revoked-key'],
  'unfunded-key': conformanceOptions['unfunded-key'],
  header: conformanceOptions.header,
  insecure: conformanceOptions.insecure,
  load: conformanceOptions.load,
  help: { kind: 'flag', about: 'print this' },
} as const

/** `assay replay ID`: runs one check again from its evidence, on the same target or another. */
export const replay: Command = {
  summary: 'run one check again from its evidence',
  help: `assay replay ID [options]\n\nSays whether what a run found is fixed (0), still failing (1) or not reproducible (3).\n\n${helpOf(options)}`,
  async run(args, io) {
    const { values, positionals } = parseOptions(options, args, io.env)
    if (values.help === true) {
      io.out(replay.help)
      return 0
    }
    const [id] = positionals
    const check = checks.find((one) => one.id === id)
    if (check === undefined)
      throw new HarnessError(
        'usage',
        id === undefined ? 'Which check? Give its id.' : `There is no check "${id}" (see assay list).`,
      )
    const evidence = readEvidence(resolve(io.folder, values.evidence ?? 'assay-evidence'), check.id)
    const { 'base-url': baseUrl = evidence.baseUrl } = values
    const passedOn = args.filter((argument) => argument !== id)
    const { target } = readConformanceSettings(
      withoutOption(passedOn, 'evidence'),
      { ...io.env, ASSAY_REPORT: '', ASSAY_EVIDENCE: '' },
      io.folder,
    )
    const { seed, runs, counterexample, apiPath, model, unavailableModel } = evidence
    const { results } = await judge({
      config: {
        ...target,
        baseUrl: baseUrl.replace(/\/+$/, '').replace(new RegExp(`${apiPath}$`), ''),
        apiPath,
        ...(model === undefined || values['base-url'] !== undefined ? {} : { model }),
        ...(unavailableModel === undefined ? {} : { unavailableModel }),
      },
      checks,
      selected: [check],
      randomness:
        counterexample === undefined ? { seed, runs } : { seed: counterexample.seed, runs, path: counterexample.path },
    })
    const verdict = results[0]?.verdict
    if (verdict?.kind === 'fail')
      return say(1, `${check.id}: still failing: ${verdict.what}: expected ${verdict.expected}, got ${verdict.actual}`)
    if (verdict?.kind === 'pass' || verdict?.kind === 'observed') return say(0, `${check.id}: fixed`)
    return say(3, `${check.id}: not reproducible: ${JSON.stringify(verdict)}`)

    function say(exitCode: ExitCode, line: string): ExitCode {
      io.out(line)
      return exitCode
    }
  },
}

/** The arguments without an option and its value. */
function withoutOption(args: readonly string[], name: string): readonly string[] {
  return args.filter(
    (argument, index) =>
      argument !== `--${name}` && args[index - 1] !== `--${name}` && !argument.startsWith(`--${name}=`),
  )
}
