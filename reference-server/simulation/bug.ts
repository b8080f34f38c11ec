import type { Clock } from '../clock.ts'
import type { Wrap } from '../gateway/seams.ts'
import type { Limits } from '../keys/limits.ts'
import type { Health } from '../network/health.ts'
import type { Registry } from '../network/registry.ts'
import type { Committer } from '../store/embedded/committer.ts'
import type { Postgres } from '../store/postgres/postgres.ts'
import type { Store } from '../store/store.ts'

/** Where requests, money and nodes are kept: one process and its disk, or replicas on one database. */
export type World = 'embedded' | 'replicas'

/** What is wrong with a gateway: wraps around its parts, each made anew for every process. */
export interface Bug {
  readonly about: string
  /** Where it can show; everywhere by default. */
  readonly world?: World
  readonly seams?: (clock: Clock) => Wrap
  readonly store?: (real: Store, clock: Clock) => Store
  readonly limits?: (real: Limits, clock: Clock) => Limits
  /** The clock that limits go by. */
  readonly limitsClock?: (real: Clock) => Clock
  readonly health?: (real: Health) => Health
  readonly registry?: (real: Registry) => Registry
  readonly committer?: (real: Committer, clock: Clock) => Committer
  readonly postgres?: (real: Postgres, clock: Clock) => Postgres
}

export const honest: Bug = { about: 'nothing is wrong' }
