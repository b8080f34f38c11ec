import type { Basis, Gravity, Marks } from '../contract/marks.ts'
import { type StatementId, statementMarks } from '../contract/statement-ids.ts'
import type { Capability } from '../target/capabilities.ts'
import type { Used } from '../target/request.ts'
import { type CheckId, sinceOf } from './check-ids.ts'
import type { CheckContext } from './context.ts'
import type { Phase } from './phases.ts'

/**
 * `must`: the contract says so. `should`: the widely used chat-completions format, HTTP, JSON or SSE say so, and
 * clients break otherwise. `open`: the contract says "not shown"; what was seen is recorded and never judged.
 */
type Level = 'must' | 'should' | 'open'

interface CheckFields {
  /** Ids of the statements in `fixtures/contract/v1.md` that the check proves, the main one first. */
  readonly states: readonly StatementId[]
  /** Capabilities beyond `client`. */
  readonly needs?: readonly Capability[]
  /** Checks without which this one proves nothing: if one of them fails, this one is blocked. */
  readonly dependsOn?: readonly CheckId[]
  /**
   * Checks that fail for the same cause where both fail: this one is then blocked by the first of them, or by what kept that from
   * running. It is asked all the same, since they may be undecided where this one is not.
   */
  readonly sameCauseAs?: readonly CheckId[]
  readonly phase?: Phase
  /** False if the check loads the target or changes anything on it. */
  readonly safe?: boolean
  /** True if it looks at what all other checks left behind: alone it shows nothing. */
  readonly ofWholeRun?: boolean
  /**
   * The most requests and tokens that it uses of a target that is not at fault, whatever a model says: a test holds it to that. A `random`
   * check uses them once for each run of its property.
   */
  readonly cost?: Cost
  /** Why it matters: who is hurt by a gateway that fails it. */
  readonly why: string
  /** What to do about it. */
  readonly fix: string
}

export interface Cost extends Used {
  /** The requests of a quick run that tries two values of each list; its plan has no room for asking again. */
  readonly quick?: number
}

/** A judging check passes by returning, and fails by an expectation that does not hold. */
export interface JudgingFields extends CheckFields {
  /** What a failure means: a sentence about the gateway that holds for whichever of its expectations failed. */
  readonly wrong: string
  /** True if `wrong` also holds where a valid request got no whole reply; without it, such a failure has general words. */
  readonly coversNoReply?: boolean
  run(context: CheckContext): Promise<void>
}

/** An observing check returns what it saw. */
export interface ObservingFields extends CheckFields {
  readonly wrong?: never
  run(context: CheckContext): Promise<unknown>
}

export interface Check extends CheckFields {
  /** Permanent: `area.topic`. The same id passes and fails, in every release. */
  readonly id: CheckId
  readonly level: Level
  readonly clause: string
  /** The release that introduced it; a check newer than a profile names cannot gate. */
  readonly since: string
  /** What its main statement rests on, and what is hurt where it fails; absent where it judges nothing. */
  readonly basis?: Basis
  readonly gravity?: Gravity
  readonly wrong?: string
  readonly coversNoReply?: boolean
  run(context: CheckContext): Promise<unknown>
}

type Unplaced = Omit<Check, 'clause' | 'since' | 'basis' | 'gravity'>

export function must(id: CheckId, fields: JudgingFields): Unplaced {
  return { id, level: 'must', ...fields }
}

export function should(id: CheckId, fields: JudgingFields): Unplaced {
  return { id, level: 'should', ...fields }
}

export function open(id: CheckId, fields: ObservingFields): Unplaced {
  return { id, level: 'open', ...fields }
}

/** The checks of one clause of the contract, in reading order. */
export function clause(number: string, checks: readonly Unplaced[]): readonly Check[] {
  return checks.map((check) => ({ ...check, ...marksOf(check), since: sinceOf(check.id), clause: number }))
}

function marksOf({ states: [main] }: Unplaced): Marks | undefined {
  return main === undefined ? undefined : statementMarks[main]
}
