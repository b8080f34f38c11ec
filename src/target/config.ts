import type { Secret } from '../wire/redact.ts'
import type { HeaderList } from '../wire/transcript.ts'
import type { ControlHooks } from './control/hooks.ts'

/** The keys that a run may use. Only the first is needed; each of the others makes more checks decidable. */
interface Keys {
  readonly main?: string
  readonly second?: string
  readonly revoked?: string
  readonly unfunded?: string
  readonly limited?: string
}

export interface ControlAddress {
  readonly url: string
  readonly token?: string
  /** A shell command in place of the API's verb. */
  readonly restartCommand?: string
}

/** Where the control API is, or the commands that replace it. */
export type ControlConfig = ControlAddress | { readonly hooks: ControlHooks }

export interface NodesConfig {
  /** The model that the gateway uses them for. */
  readonly model: string
  /** Where the control API of each node is. */
  readonly controlUrls: readonly string[]
  /** Whether they require the key with which the gateway is asked, as behind gateways that pass on what they are given. */
  readonly takeTheCallersKey?: boolean
  /** What they require otherwise. */
  readonly key?: string
}

/** Everything a run needs to know about the gateway under test. Plain data: it crosses threads. */
export interface TargetConfig {
  /** The service's address without a trailing slash and without the API path. */
  readonly baseUrl: string
  /** Where the API is mounted, with a leading slash. */
  readonly apiPath: string
  readonly keys: Keys
  /** The model to use; the cheapest listed that answers when absent. */
  readonly model?: string
  readonly unavailableModel?: string
  readonly control?: ControlConfig
  /** Operator nodes that Assay plays behind the gateway, all of one model. */
  readonly nodes?: NodesConfig
  /** How many milliseconds a balance or a usage may take to show a request. */
  readonly settlingMs: number
  readonly contextWindow?: number
  /** Events a second that the profile promises for 32 streams at once. */
  readonly eventsPerSMin?: number
  readonly headers: HeaderList
  readonly insecure: boolean
  /** Silence on one exchange, in milliseconds, after which it is given up. */
  readonly timeoutMs: number
  /** Most requests in flight at once. */
  readonly concurrency: number
  /** Whether twice as many may be, where the target answers so many in the time of one. */
  readonly mayWiden?: true
  readonly requestsMax: number
  /** Most prompt and completion tokens of the whole run, and most US dollars; no limit where absent. */
  readonly tokensMax?: number
  readonly costUsdMax?: number
  /** Whether more than `concurrency` requests may be sent at once. */
  readonly load: boolean
  /** Whether checks may wait over 20 s. */
  readonly long: boolean
  /** Whether prompts may be as large as the window, and larger. */
  readonly costly?: boolean
  /** Longest duration of the whole run, in milliseconds. */
  readonly durationMsMax: number
  /** Goes into the User-Agent, so that a gateway's log can be matched with the run. */
  readonly runId: string
  readonly version: string
  /** What the user typed in place of the usual options, by their names: `--against` for `--base-url`. Next steps then say that. */
  readonly namedBy?: Readonly<Record<string, string>>
}

/** A shorter key may stand in any text. */
export const tellingKeyLength = 12

/** What a run was given and must never write anywhere: keys, its own and the nodes', the control token and the values of headers. */
export function secretsOf({ keys, headers, control, nodes }: TargetConfig): readonly Secret[] {
  const token = control !== undefined && 'token' in control ? control.token : undefined
  const named = [
    { value: keys.main, shape: '$ASSAY_API_KEY' },
    { value: keys.second, shape: '$ASSAY_SECOND_KEY' },
    { value: keys.revoked, shape: '$ASSAY_REVOKED_KEY' },
    { value: keys.unfunded, shape: '$ASSAY_UNFUNDED_KEY' },
    { value: keys.limited, shape: '$ASSAY_LIMITED_KEY' },
    { value: token, shape: '$ASSAY_CONTROL_TOKEN' },
    { value: nodes?.key, shape: '$ASSAY_NODE_KEY' },
  ]
  return [
    ...named.flatMap(({ value, shape }) => (value === undefined ? [] : [{ value, shape }])),
    ...headers.flatMap((header) => secretsIn(header).map((value) => ({ value }))),
  ]
}

/** Of an Authorization, the part after its scheme too: servers quote it without. */
function secretsIn([name, value]: HeaderList[number]): readonly string[] {
  const [, credentials] = /^\S+\s+(\S.*)$/.exec(value) ?? []
  return /authorization$/i.test(name) && credentials !== undefined ? [value, credentials] : [value]
}
