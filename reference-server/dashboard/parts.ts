import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Clock } from '../clock.ts'
import type { Model } from '../gateway/models.ts'
import type { Seams } from '../gateway/seams.ts'
import type { Limits } from '../keys/limits.ts'
import type { KeyPasses } from '../keys/passes.ts'
import type { PicoUsd, Rate } from '../ledger/money.ts'
import type { OrderedNode } from '../network/ordered-node.ts'
import type { Registry } from '../network/registry.ts'
import type { Activity } from '../operations/activity.ts'
import type { RecentRequests } from '../operations/recent.ts'
import type { RequestLogWriter } from '../operations/request-log.ts'
import type { Store } from '../store/store.ts'
import type { Frame, Page } from './pages/layout.ts'
import type { Sessions } from './sessions.ts'
import type { SignInLimit } from './sign-in-limit.ts'

/** What the dashboard shows and acts on. */
export interface DashboardParts {
  readonly store: Store
  readonly seams: Seams
  readonly registry: Registry
  readonly models: readonly Model[]
  readonly nodes: readonly OrderedNode[]
  readonly activity: Activity
  readonly recent: Pick<RecentRequests, 'byModel' | 'byNode'>
  /** `memory`, `sqlite` or `postgres`. */
  readonly storeName: string
  readonly limits: Pick<Limits, 'trouble'>
  /** Whether the limits are in Redis. */
  readonly sharesLimits: boolean
  readonly passes: KeyPasses
  /** Absent where none is kept. */
  readonly log?: Pick<RequestLogWriter, 'keptDays' | 'flush'>
  readonly clock: Clock
  readonly rate: Rate
  readonly freeCredit: PicoUsd
  readonly operatorPassword: string
  /** Where clients reach the API, known once the gateway listens. */
  readonly apiUrl: () => string
  readonly onBug: (error: unknown) => void
}

/** The parts, with what the routes share. */
export interface Dashboard extends DashboardParts {
  /** The path that everything is below. */
  readonly root: string
  readonly sessions: Sessions
  readonly limit: SignInLimit
  frameOf(request: FastifyRequest, reply: FastifyReply): Promise<Frame>
  show(reply: FastifyReply, frame: Frame, page: (frame: Frame) => Page): FastifyReply
}
