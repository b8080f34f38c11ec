import type { Answer, StreamAnswer } from '../target/answer.ts'
import type { ChatBody } from '../target/chat.ts'
import type { Control } from '../target/control/control.ts'
import type { Nodes } from '../target/nodes.ts'
import type { Prepared } from '../target/prepare.ts'
import type { Request, StreamReading } from '../target/request.ts'
import type { Target } from '../target/target.ts'
import type { RawConversation, RawStep } from '../wire/raw-client.ts'
import type { Expect } from './expect.ts'
import type { Samples } from './kept/samples.ts'
import type { PropertyOf } from './values/property.ts'

/** How a chat request differs from an ordinary one with the main key. */
export type ChatOptions = Pick<Request, 'key' | 'headers' | 'burst' | 'replyTokens' | 'isUnbounded'>

/**
 * What a check works with. `ask` is for a request that the contract grants: anything but a 2xx fails the check, after
 * the repeats that a temporary failure deserves. `probe` is for any other request: it returns the settled answer as it
 * is. Bodies are merged over a brief default; a string is sent as it is.
 */
export interface CheckContext {
  readonly expect: Expect
  readonly target: Target
  readonly prepared: Prepared
  /** The model in use. */
  readonly model: string
  ask(body?: ChatBody | string, options?: ChatOptions): Promise<Answer>
  askStream(body?: ChatBody | string, options?: ChatOptions & StreamReading): Promise<StreamAnswer>
  probe(body: ChatBody | string | Uint8Array, options?: ChatOptions): Promise<Answer>
  probeStream(body: ChatBody | string, options?: ChatOptions & StreamReading): Promise<StreamAnswer>
  /** The settled answer to any request; `expected` is a status that counts as settled though it may be temporary. */
  settled(request: Request, expected?: number): Promise<Answer>
  /** Sends any request once, and returns whatever came. */
  send(request: Request): Promise<Answer>
  sendStream(request: Request, reading?: StreamReading): Promise<StreamAnswer>
  /** The control API, for checks that need it; what they change is undone when they end. */
  readonly control: Control
  /** Our operator nodes behind the gateway, for checks that need them. */
  readonly nodes: Nodes
  /** Bytes on a socket of its own; the caller writes `Host` and the key, see `rawHead`. */
  converse(steps: readonly RawStep[], enough: (received: Buffer) => boolean): Promise<RawConversation>
  /** The request line and headers of a raw request to a path below the API, ending in the blank line. */
  rawHead(method: string, path: string, headers: readonly (readonly [string, string])[]): string
  /** Replies and streams that structural checks share, and all that other checks received. */
  readonly samples: Samples
  /** The settled answer to one request for the model list, shared by all checks of the list. */
  modelList(): Promise<Answer>
  /** What `make` resolves to, made once a run for all checks that use the same key. */
  once<T>(key: string, make: () => Promise<T>): Promise<T>
  /** Asks on behalf of the whole run: its answers do not count as received by this check. */
  readonly sampler: Pick<CheckContext, 'probe' | 'probeStream'>
  /** Keeps an answer that another check or the sampler received as evidence of this check. */
  witness(answer: Answer): void
  /** The values to try of a list: all of them, or in a quick run those by which broken gateways are noticed. */
  few<T>(values: readonly T[]): readonly T[]
  /** `few`, of values that are served with a reply each: every third of them where the target is slow. */
  fewServed<T>(values: readonly T[]): readonly T[]
  /** Tests a statement on arbitrary values; shrinks, confirms and reports a counterexample. */
  readonly property: PropertyOf
  /** A word that occurs in no other prompt of the run. */
  nonce(): string
  /** Marks a value, such as a near miss of a key, that must never be written anywhere; `shape` is how a shell makes it. */
  secret(value: string, shape?: string): string
  /** An error to throw: what the model says proves nothing. */
  undecidable(reason: string): Error
  /** An error to throw: the target has nothing that the check applies to. */
  notApplicable(reason: string): Error
}
