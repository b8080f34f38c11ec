import { reportFormats } from '../report/conformance/formats.ts'
import { nodeDialects } from './node-dialects.ts'
import type { OptionTable } from './parse.ts'
import { shared } from './shared.ts'

/** Which gateway, how it is reached, and what may be asked of it. */
export const targetOptions = {
  'base-url': { kind: 'text', value: 'URL', about: 'the gateway to test (the embedded reference gateway)' },
  'api-path': shared['api-path'],
  'api-key': shared['api-key'],
  'second-key': { kind: 'text', isKey: true, value: 'KEY', about: 'another key of the same account' },
  'revoked-key': { kind: 'text', isKey: true, value: 'KEY', about: 'a key that was deleted' },
  'unfunded-key': { kind: 'text', isKey: true, value: 'KEY', about: 'a key of an account without funds' },
  'limited-key': { kind: 'text', isKey: true, value: 'KEY', about: 'a key with a low rate limit' },
  model: shared.model,
  'unavailable-model': { kind: 'text', value: 'ID', about: 'a model that the gateway knows but no node serves' },
  control: { kind: 'text', value: 'URL', about: 'the control API, for checks of keys, balances and availability' },
  'control-token': shared['control-token'],
  'restart-command': shared['restart-command'],
  settling: shared.settling,
  nodes: {
    kind: 'text',
    value: 'HOST:PORT[=MODEL],…',
    about: 'operator nodes that Assay plays (two of one model also test failover)',
  },
  'node-key': { kind: 'text', isKey: true, value: 'KEY', about: 'the key that these nodes require from the gateway' },
  'node-dialect': {
    kind: 'choice',
    of: nodeDialects,
    about: 'the engine whose chunks, usage, errors and ids these nodes have (none in particular)',
  },
  profile: shared.profile,
  header: shared.header,
  concurrency: {
    kind: 'number',
    value: 'N',
    min: 1,
    whole: true,
    about: 'requests in flight at most (8, or 16 where so many are answered in the time of one)',
  },
  timeout: { kind: 'number', value: 'MS', min: 1, whole: true, about: 'the longest silence of one request (10000)' },
  'max-time': {
    kind: 'number',
    value: 'S',
    min: 1,
    whole: false,
    about: 'time for the run (100); what is not decided by then stays undecided',
  },
  'max-requests': { kind: 'number', value: 'N', min: 1, whole: true, about: 'requests in the whole run (8000)' },
  'max-tokens-total': {
    kind: 'number',
    value: 'N',
    min: 1,
    whole: true,
    about:
      'prompt and completion tokens in the whole run (150000; 2000000 with --costly; the embedded gateway: no limit)',
  },
  'max-cost': {
    kind: 'number',
    value: 'USD',
    min: 0,
    whole: false,
    about: 'what the whole run may cost at the listed prices (0.25; the embedded gateway: no limit)',
  },
  costly: {
    kind: 'flag',
    about: 'allow prompts of up to 1 MB, 1.2 million tokens in all (the embedded gateway: allowed)',
  },
  load: { kind: 'flag', about: 'allow more than --concurrency requests at once' },
  long: { kind: 'flag', about: 'allow checks that wait over 20 s' },
  insecure: shared.insecure,
  'context-window': {
    kind: 'number',
    value: 'N',
    min: 1,
    whole: true,
    about: "tokens in the model's window, if its price does not tell",
  },
  contract: { kind: 'choice', of: ['v1'], about: 'the contract to judge by (v1)' },
} as const satisfies OptionTable

/** Which checks run, and what fails the run. */
export const judgingOptions = {
  only: {
    kind: 'list',
    value: 'SEL',
    names: 'checks',
    about: 'checks to run: id (glob), clause, level or capability (repeatable)',
  },
  skip: { kind: 'list', value: 'SEL', names: 'checks', about: 'checks to leave out, named in the same way' },
  quick: {
    kind: 'flag',
    about: 'the checks that prove most for least, with few values: at most 400 requests, 20000 tokens and 60 s',
  },
  failed: { kind: 'flag', about: 'only checks that failed in the newest run of the evidence folder' },
  safe: { kind: 'flag', about: 'only checks that create, delete and load nothing' },
  level: { kind: 'choice', of: ['must', 'should'], about: 'what fails the run (must)' },
  scope: {
    kind: 'choice',
    of: ['contract', 'format'],
    about: 'what may fail it: format leaves out what only this contract demands, such as prices (contract)',
  },
  set: {
    kind: 'text',
    value: 'NAME',
    about: 'the requirement set whose checks may fail it, such as 2026-11: later ones run and are shown (every check)',
  },
  'known-failures': {
    kind: 'text',
    value: 'FILE',
    about: 'failures to tolerate, each with a reason; one that now passes fails the run',
  },
  'update-known-failures': { kind: 'flag', about: 'rewrite that file from this run' },
  against: {
    kind: 'text',
    value: 'URL',
    about: 'a second gateway to judge in the same way and compare with',
  },
  'against-key': { kind: 'text', isKey: true, value: 'KEY', about: 'its key; better set ASSAY_AGAINST_KEY' },
  seed: { kind: 'number', value: 'N', min: 0, whole: true, about: 'seed of the properties (random, printed)' },
  runs: { kind: 'number', value: 'N', min: 1, whole: true, about: 'the most values to try for each property (100)' },
  'allow-undecided': { kind: 'flag', about: 'do not exit with 3 for what the target left undecided' },
} as const satisfies OptionTable

/** What is written and printed. */
export const outputOptions = {
  report: {
    kind: 'list',
    value: 'FORMAT[=FILE]',
    about: `${Object.keys(reportFormats).join(', ')} (repeatable; terminal)`,
  },
  evidence: {
    kind: 'text',
    value: 'DIR',
    about: 'every exchange, redacted, in a folder for each run (assay-evidence when something failed)',
  },
  list: { kind: 'flag', about: 'print the selected checks and stop' },
  quiet: { kind: 'flag', about: 'print only failures and the verdict' },
  verbose: { kind: 'flag', about: 'print every check, with its verdict and time, as it ends' },
  'no-color': shared['no-color'],
  help: shared.help,
} as const satisfies OptionTable

/** The options of `assay conformance`; their names are fixed. A profile may hold any of them except `profile`. */
export const conformanceOptions = { ...targetOptions, ...judgingOptions, ...outputOptions } as const
