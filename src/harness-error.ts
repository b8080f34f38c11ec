/**
 * Why the harness could not go on; each says what to do next, unless the problem itself does. What a gateway does wrong is never an error, it is
 * a verdict. A bug of our own is never one of these: it reaches `cli/main` as an ordinary Error and exits 4.
 */
const problems = {
  usage: { exitCode: 2, next: 'Run the command with --help to see its options.' },
  unreadable: { exitCode: 2, next: 'Check the path; a relative one starts from the folder of the call.' },
  'port-taken': { exitCode: 2, next: 'Stop what listens there, or name another port: 0 takes any free one.' },
  'cannot-start': { exitCode: 2, next: 'Check the addresses and files that its options name.' },
  unwritable: { exitCode: 2, next: 'Name a place where you may write.' },
  'profile-invalid': { exitCode: 2, next: 'Correct the fields named above; --help lists what a profile may hold.' },
  'target-unreachable': { exitCode: 3, next: 'Start the gateway, or check --base-url.' },
  'target-silent': {
    exitCode: 3,
    next: 'See in its log what it waits for. Check --base-url; --timeout allows a longer silence.',
  },
  'target-closes': {
    exitCode: 3,
    next: 'See in its log why. Check --base-url: what listens there may be no gateway.',
  },
  'no-list': { exitCode: 3, next: 'Mend its list of models, or name a model with --model.' },
  'no-redis': { exitCode: 3, next: 'Start Redis, or check its address.' },
  'wrong-scheme': { exitCode: 3, next: '' },
  certificate: { exitCode: 3, next: 'Pass --insecure if you trust it all the same.' },
  'key-unusable': { exitCode: 2, next: 'Give the key alone, as the server printed it.' },
  'header-unusable': { exitCode: 2, next: 'Correct the value of this header.' },
  'key-missing': { exitCode: 3, next: 'Set ASSAY_API_KEY, or pass --api-key.' },
  'key-refused': { exitCode: 3, next: 'Check the key (ASSAY_API_KEY or --api-key) and that its account has funds.' },
  'nodes-unused': {
    exitCode: 3,
    next: 'Name their addresses and the model in its configuration. If it looks for them at its start only, restart it while Assay waits; --settling makes it wait longer.',
  },
  'nodes-keyless': {
    exitCode: 3,
    next: 'Give the gateway that key for these nodes, or leave --node-key out: nodes without one take any.',
  },
  'no-control': {
    exitCode: 3,
    next: 'Check --control: it is the address that the gateway printed for its control API.',
  },
  'control-refused': {
    exitCode: 3,
    next: 'Pass the token that the gateway printed (ASSAY_CONTROL_TOKEN or --control-token).',
  },
  'model-available': {
    exitCode: 2,
    next: 'Name a model that the gateway knows and no node serves, or leave --unavailable-model out.',
  },
  budget: { exitCode: 3, next: 'Raise --max-requests, --max-tokens-total or --max-time.' },
  'no-funds': { exitCode: 3, next: 'Fund the account of the key, or pass another one (ASSAY_API_KEY or --api-key).' },
  limited: { exitCode: 3, next: 'Wait until the limit allows requests again, or pass another key.' },
  'server-fails': {
    exitCode: 3,
    next: 'Look into the log of the server. If it serves chats and only its list fails, pass --model.',
  },
  'model-unknown': { exitCode: 3, next: 'Pass one of the listed models as --model, or none.' },
  'not-a-gateway': { exitCode: 3, next: 'Check --base-url; --api-path says where below it the API is mounted.' },
  'evidence-missing': { exitCode: 2, next: 'Pass as --evidence the folder to which a run wrote its evidence.' },
  interrupted: { exitCode: 130, next: '' },
} as const satisfies Record<string, { exitCode: 2 | 3 | 130; next: string }>

export type ProblemCode = keyof typeof problems

export class HarnessError extends Error {
  override readonly name = 'HarnessError'
  readonly code: ProblemCode
  /** What is wrong, without the next step. */
  readonly detail: string
  /** What to do about it; empty where the detail says it. */
  readonly next: string
  /** What the process ends with when nothing catches it. */
  readonly exitCode: 2 | 3 | 130

  constructor(
    code: ProblemCode,
    detail: string,
    { next = problems[code].next, ...options }: { readonly cause?: unknown; readonly next?: string } = {},
  ) {
    super([detail, next].filter((line) => line !== '').join('\n'), options)
    this.code = code
    this.detail = detail
    this.next = next
    this.exitCode = problems[code].exitCode
  }
}
