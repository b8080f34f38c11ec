import { createWire } from '../wire/client.ts'
import type { Exchange, HeaderList } from '../wire/transcript.ts'
import type { Wire } from '../wire/wire.ts'
import { type Answer, readAnswer, type StreamAnswer } from './answer.ts'
import type { TargetConfig } from './config.ts'
import { type Control, createControl } from './control/control.ts'
import { createOpenThings, type OpenThings } from './control/open-things.ts'
import { type Budget, createBudget, tokensOf } from './limits/budget.ts'
import { createDeadline } from './limits/deadline.ts'
import { createPatience, type Patience } from './limits/patience.ts'
import { createNodes, type Nodes } from './nodes.ts'
import { createLastRequests } from './recovery/last-requests.ts'
import { createRecovery, type Recovery } from './recovery/recovery.ts'
import type { Request, Spending, StreamReading } from './request.ts'
import { createSender, headersOf, urlOf } from './sender.ts'
import { createStreamReader } from './stream-reader.ts'
import { createPacer, type Pacer } from './turns/pacer.ts'

/** The way to the gateway under test: paced, bounded, recorded. It judges nothing. */
export interface Target {
  readonly config: TargetConfig
  readonly spending: Spending
  readonly budget: Omit<Budget, 'spending'>
  /** Milliseconds until the run's time is up. */
  remainingMs(): number
  /** Ends the run's time now: no more requests are sent. */
  stop(): void
  /** Resolves, with the reason, when nothing is waited for any more: it was stopped, or its time is up. */
  readonly over: Promise<string>
  /** What is open on it through the control API. */
  readonly open: OpenThings
  /** How long a reply may take; `prepare` measures what a slow target needs. */
  readonly patience: Patience
  /** How many requests go at once. */
  readonly pacer: Pick<
    Pacer,
    'enter' | 'widen' | 'placesMost' | 'leastFirst' | 'isLeastFirst' | 'oneAtATime' | 'isOneAtATime'
  >
  /** What is waited for after a silence. */
  readonly recovery: Recovery
  /** What was under way when it fell silent, in words; empty while it answers. */
  beforeSilence(): readonly string[]
  /** The first requests that it refused since it served one, in words. */
  sinceServed(): readonly string[]
  /** When the first of those was refused, in milliseconds since 1970. */
  refusedSinceMs(): number | undefined
  /** When nodes of ours were taken down, in milliseconds since 1970. */
  nodesTakenDownAtMs(): readonly number[]
  /** How many requests it has served. */
  served(): number
  urlOf(path: string): string
  headersOf(request: Request): HeaderList
  send(request: Request): Promise<Answer>
  stream(request: Request, reading?: StreamReading): Promise<StreamAnswer>
  /** The control API; `keep` is given every exchange with it. Only where the configuration names one. */
  control(keep: (exchange: Exchange) => void): Control
  /** Our nodes behind the gateway. Only where the configuration names some. */
  nodes(keep: (exchange: Exchange) => void): Nodes
  close(): Promise<void>
}

/** How long a stream may stay open after its end marker before we leave it, at first and after several in a row stayed open. */
const lingerMs = { first: 1000, again: 50 }
/** Fewer may have been late to close on a busy machine. */
const openInARowMin = 3

export function createTarget(
  config: TargetConfig,
  startedAtMs: number = performance.now(),
  wire: Wire = createWire({ insecure: config.insecure }),
): Target {
  const budget = createBudget(config)
  const patience = createPatience(config.timeoutMs)
  const deadline = createDeadline(startedAtMs, config.durationMsMax)
  const recovery = createRecovery()
  const last = createLastRequests()
  const takenDownAtMs: number[] = []
  const pacer = createPacer(config.concurrency)
  const exchange = createSender({ config, wire, budget, pacer, patience, deadline, recovery, last })
  const open = createOpenThings()
  let openInARow = 0
  return {
    config,
    spending: budget.spending,
    budget,
    pacer,
    patience,
    recovery,
    beforeSilence: last.beforeSilence,
    sinceServed: last.sinceServed,
    refusedSinceMs: last.refusedSinceMs,
    nodesTakenDownAtMs: () => takenDownAtMs,
    served: last.served,
    remainingMs: deadline.remainingMs,
    stop: deadline.stop,
    over: deadline.over,
    open,
    urlOf: (path) => urlOf(config, path),
    headersOf: (request) => headersOf(config, request),
    async send(request) {
      const answer = readAnswer(await exchange(request))
      budget.end(request, tokensOf(request, answer))
      return answer
    },
    async stream(request, reading = {}) {
      const reader = createStreamReader(reading, () => (openInARow < openInARowMin ? lingerMs.first : lingerMs.again))
      const answer = reader.finish(await exchange(request, reader.onBytes))
      if (answer.done) openInARow = answer.exchange.ending === 'left' ? openInARow + 1 : 0
      budget.end(request, tokensOf(request, answer))
      return answer
    },
    control(keep) {
      if (config.control === undefined) throw new Error('a check that needs control ran without it')
      return createControl(config.control, wire, keep, open)
    },
    nodes(keep) {
      if (config.nodes === undefined) throw new Error('a check that needs nodes ran without them')
      return createNodes(config.nodes, wire, keep, () => takenDownAtMs.push(Date.now()))
    },
    close() {
      deadline.cancel()
      return wire.close()
    },
  }
}
