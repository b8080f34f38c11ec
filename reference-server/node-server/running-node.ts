import type { NodeState } from './control/state.ts'
import type { Script } from './script/script.ts'
import type { Timing } from './script/timing-profiles.ts'
import type { NodeRecord } from './send/records.ts'

/** An operator node that has been started, and what can be done with it. */
export interface RunningNode {
  /** As in `http://127.0.0.1:9101`, without the path. */
  readonly url: string
  readonly controlUrl?: string
  /** Throws `InputError` for what is not a script. */
  script(id: string, script: Script): void
  removeScript(id: string): void
  scripts(): Readonly<Record<string, Script>>
  /** What the node saw, oldest first; only of this script id when one is given. */
  records(scriptId?: string): readonly NodeRecord[]
  clearRecords(): void
  state(): NodeState
  setState(state: NodeState): Promise<void>
  setTiming(timing: Timing): void
  /** Ends at once: open connections are cut. */
  close(): Promise<void>
}
