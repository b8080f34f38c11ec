import type { Wrap } from '../../reference-server/gateway/seams.ts'
import type { CheckId } from '../../src/check/check-ids.ts'
import type { How } from './hows.ts'
import type { Reason } from './reasons.ts'
import type { Watch } from './watch.ts'
import type { WhenId, WhenKind } from './whens.ts'

/** Something that a gateway relays, and what may happen to it. */
export interface What {
  /** Begins a sentence: "the temperature that a node is asked for". */
  readonly about: string
  /** The gateways that do each of this to it, whenever the watch says so. */
  readonly faults: Readonly<Partial<Record<How, (watch: Watch) => Wrap>>>
  /** What is said of it instead of the usual words. */
  readonly says?: Readonly<Partial<Record<How, string>>>
  /** Why some of the hows are empty, among `faults` too; the others are because they do not apply to its type. */
  readonly empty: Readonly<Partial<Record<How, Reason>>>
  /** Times at which one of the hows is empty as well, and why. */
  readonly emptyAt?: Readonly<Partial<Record<How, Readonly<Partial<Record<WhenId, Reason>>>>>>
  /** Times that it has, besides those of its mode. */
  readonly times: readonly WhenKind[]
  /** The mode in which it occurs; both when absent. */
  readonly mode?: 'reply' | 'stream'
  /** One of these checks must notice, or one of those that compare both sides at this time. */
  readonly noticedBy: readonly CheckId[]
}
