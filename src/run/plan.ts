import type { CheckId } from '../check/check-ids.ts'
import type { Randomness } from '../check/values/property.ts'
import type { NodeDialect } from '../options/node-dialects.ts'
import type { NodePlace } from '../options/node-places.ts'
import type { TargetConfig } from '../target/config.ts'
import type { GateRules } from './gate.ts'

/** Everything that decides what a run does and what its report says. Plain data, made by `readSettings`. */
export interface RunPlan {
  /** Absent for the embedded reference gateway. */
  readonly baseUrl?: string
  /** All of the target except its address. */
  readonly target: Omit<TargetConfig, 'baseUrl'>
  /** Operator nodes to start before the run. */
  readonly nodes?: readonly NodePlace[]
  /** The key that these nodes require from the gateway. */
  readonly nodeKey?: string
  /** The engine whose shapes our nodes take. */
  readonly nodeDialect?: NodeDialect
  /** Whether the API path of the target is only the likeliest one. */
  readonly findsApi?: boolean
  /** A second gateway, judged in the same way. */
  readonly against?: Pick<TargetConfig, 'baseUrl' | 'apiPath' | 'keys'> & { readonly findsApi: boolean }
  /** The checks to run; what they depend on runs too and is not reported. */
  readonly selected: readonly CheckId[]
  readonly randomness: Randomness
  readonly gate: Omit<GateRules, 'known'>
  readonly knownFailures?: KnownFailuresFile
  /** Whether every exchange is kept, or only those of failures. */
  readonly keepAll: boolean
  /** Where the evidence will be, as the user would type it: replay lines name it. */
  readonly evidenceFolder: string
}

/** The file of failures that do not fail a run. */
export interface KnownFailuresFile {
  readonly path: string
  /** Whether this run rewrites it. */
  readonly update: boolean
}
