import { chatCompletionSchema } from '../../contract/chat-completion.ts'
import { departures } from '../../contract/schema.ts'
import { streamChunkSchema } from '../../contract/stream-chunk.ts'
import { startClients } from '../client/autocannon-clients.ts'
import { connectorFor } from '../client/connection.ts'
import { Lane } from '../client/lane.ts'
import { createHistogram, type Stats } from '../figures/histogram.ts'
import { Tally, type TallyResult } from '../figures/tally.ts'
import { createFlight, type Flight } from '../meter/flight.ts'
import { schedule, shareOf } from '../schedule/arrivals.ts'
import { createChance } from '../schedule/chance.ts'
import type { LoadPlan } from '../schedule/plan.ts'
import { bodies, charsPerToken } from '../schedule/prompt.ts'
import { monotonicMs } from './monotonic.ts'

/** Which part of a plan one engine carries. */
export interface Share {
  readonly shard: number
  readonly shards: number
}

export interface EngineResult extends TallyResult {
  /** How late requests were sent: behind their moment, or behind the end of the one before on their connection. */
  readonly lateness: string
  /** How late the thread's timers were. */
  readonly lag: string
  /** Against the moments at which the server says that it wrote; only with stamped texts. */
  readonly stampLag?: string
  /** How far gaps are from those of the stamps. */
  readonly stampGapError?: string
  /** CPU time of the thread over the time of the run, 1 a whole core. */
  readonly cpu: number
  /** Requests whose moment came and that never were sent. */
  readonly unsent: number
  readonly connectionsUsed: number
}

/** Figures of the moment. */
export interface Progress {
  readonly sent: number
  readonly inFlight: number
  readonly ok: number
  readonly bad: number
  /** So far, in milliseconds; NaN before the first. */
  readonly ttftP95: number
  readonly gapP99: number
  readonly lag: Stats
}

export interface Engine {
  /** Connects before the start, so that no request pays for it. */
  warm(): void
  /** Sends from this moment of the monotonic clock on, and resolves when all has landed. */
  run(startAtMs: number): Promise<EngineResult>
  progress(): Progress | undefined
  /** Starts no more requests; those in flight may end. */
  stop(): void
}

const watchMs = 20
const lagMs = 5
/** The last stretch before a moment is spent in turns of the event loop, since timers are a millisecond coarse. */
const spinMs = 1.5
const warmMax = 256
/** A thread that is busier than this has no time to wait actively. */
const spinLoadMax = 0.5

/** Puts a plan's share on a gateway, in the thread that calls it. */
export function createEngine(plan: LoadPlan, { shard, shards }: Share): Engine {
  const { arrivals } = plan
  const times = arrivals.kind === 'closed' ? undefined : shareOf(schedule(arrivals, plan.seed), shard, shards)
  const connections = partOf(arrivals.kind === 'closed' ? arrivals.connections : arrivals.connectionsMax, shard, shards)
  const requestsMax =
    plan.requestsMax === undefined ? Number.POSITIVE_INFINITY : partOf(plan.requestsMax, shard, shards)
  const bodyOf = bodies(plan)
  const chance = createChance(plan.seed ^ (0x9e37 * (shard + 1)))
  const stampLag = plan.stamped ? createHistogram() : undefined
  const stampGapError = plan.stamped ? createHistogram() : undefined
  const sampling = {
    share: plan.validateShare,
    draw: chance.unit,
    ...(stampLag !== undefined && {
      onContent: (text: string, atMs: number, flight: Flight) => {
        const lagMs = atMs - Number.parseFloat(text)
        stampLag.record(lagMs)
        if (!Number.isNaN(flight.lastLagMs)) stampGapError?.record(Math.abs(lagMs - flight.lastLagMs))
        flight.lastLagMs = lagMs
      },
    }),
  }
  const lateness = createHistogram()
  const lag = createHistogram()
  const lanes: Lane[] = []
  const idle: Lane[] = []
  const waiting: number[] = []
  let tally: Tally | undefined
  let startAtMs = 0
  let endAtMs = Number.POSITIVE_INFINITY
  let begun = 0
  let used = 0
  let next = 0
  let isStopped = false
  let finished: () => void = () => undefined

  const open = connectorFor(plan.url, plan.insecure)
  const clients = startClients({
    url: plan.url,
    headers: plan.headers,
    body: bodyOf(0),
    connections,
    adopt(client) {
      lanes.push(
        new Lane(client, {
          stream: plan.stream,
          limits: plan.limits,
          sampling,
          open,
          read: (events, atMs) => tally?.read(events, atMs),
          landed,
        }),
      )
    },
  })

  function flightOf(index: number, intendedAtMs: number): Flight {
    const leaves = plan.leavingShare > 0 && chance.unit() < plan.leavingShare
    return createFlight(index * shards + shard, intendedAtMs, leaves ? 1 + Math.floor(chance.unit() * 8) : undefined)
  }

  function send(lane: Lane, flight: Flight): void {
    const trace = arrivals.kind === 'trace' ? arrivals.entries[flight.index] : undefined
    begun += 1
    tally?.sent(monotonicMs())
    lane.send(
      flight,
      bodyOf(
        flight.index,
        trace?.promptTokens === undefined ? undefined : trace.promptTokens * charsPerToken,
        trace?.completionTokens,
      ),
    )
  }

  function landed(lane: Lane, flight: Flight): void {
    if (!Number.isNaN(flight.sentAtMs)) lateness.record(flight.sentAtMs - flight.intendedAtMs)
    tally?.landed(flight, lane.meter.gaps)
    const pauseMs = lane.backOffMs
    if (pauseMs > 0) setTimeout(() => free(lane), pauseMs)
    else free(lane)
  }

  function free(lane: Lane): void {
    const nowMs = monotonicMs()
    if (times === undefined) {
      if (nowMs < endAtMs && begun < requestsMax) send(lane, flightOf(begun, Math.max(nowMs, startAtMs)))
    } else {
      const index = waiting.shift()
      if (index === undefined) idle.push(lane)
      else send(lane, flightOf(index, startAtMs + (times[index] ?? 0)))
    }
    if (isOver()) finished()
  }

  function isOver(): boolean {
    const allBegun = times === undefined ? monotonicMs() >= endAtMs || begun >= requestsMax : next >= sendable()
    return allBegun && waiting.length === 0 && tally?.inFlight === 0
  }

  function sendable(): number {
    return Math.min(times?.length ?? 0, requestsMax)
  }

  function dispatch(index: number): void {
    const lane = idle.pop() ?? lanes[used]
    if (lane === undefined) {
      waiting.push(index)
      return
    }
    if (lane === lanes[used]) used += 1
    send(lane, flightOf(index, startAtMs + (times?.[index] ?? 0)))
  }

  function pace(): void {
    const nowMs = monotonicMs() - startAtMs
    while (next < sendable() && (times?.[next] ?? 0) <= nowMs && startAtMs + nowMs < endAtMs) {
      dispatch(next)
      next += 1
    }
    if (startAtMs + nowMs >= endAtMs) next = sendable()
    if (next >= sendable()) {
      if (isOver()) finished()
      return
    }
    const waitMs = (times?.[next] ?? 0) - (monotonicMs() - startAtMs)
    if (waitMs > spinMs + 1) setTimeout(pace, waitMs - spinMs)
    else if (waitMs > 0.05 && performance.eventLoopUtilization(loopBefore).utilization > spinLoadMax)
      setTimeout(pace, 1)
    else setImmediate(pace)
  }

  let loopBefore = performance.eventLoopUtilization()

  return {
    warm() {
      warmSchemas()
      const count = times === undefined ? lanes.length : Math.min(lanes.length, warmMax)
      for (const lane of lanes.slice(0, count)) lane.warm()
    },
    stop() {
      isStopped = true
      endAtMs = Math.min(endAtMs, monotonicMs())
      waiting.length = 0
    },
    progress() {
      const counts = tally?.progress()
      return counts === undefined ? undefined : { ...counts, lag: lag.stats() }
    },
    async run(startMs) {
      startAtMs = startMs
      const sendForMs = times === undefined ? plan.durationMs : Number.POSITIVE_INFINITY
      tally = new Tally({
        startAtMs,
        steadyFromMs: plan.warmupMs,
        steadyToMs: plan.durationMs,
        objectives: plan.objectives,
        seed: plan.seed + shard,
      })
      const over = new Promise<void>((resolve) => {
        finished = resolve
      })
      await new Promise((begin) => setTimeout(begin, Math.max(0, startMs - monotonicMs())))
      endAtMs = Math.min(endAtMs, startMs + sendForMs)
      loopBefore = performance.eventLoopUtilization()
      const cpuBefore = threadCpuMs()
      let lagAtMs = monotonicMs()
      const lagTimer = setInterval(() => {
        const nowMs = monotonicMs()
        lag.record(Math.max(0, nowMs - lagAtMs - lagMs))
        lagAtMs = nowMs
      }, lagMs)
      let watchedAtMs = monotonicMs()
      const watch = setInterval(() => {
        const nowMs = monotonicMs()
        // After a stall of our own, what came meanwhile is read before anybody is blamed for silence.
        if (nowMs - watchedAtMs < 3 * watchMs) for (const lane of lanes) lane.watch(nowMs)
        watchedAtMs = nowMs
        if (isOver()) finished()
        if (nowMs > startMs + plan.durationMs + plan.drainMs || nowMs > endAtMs + plan.drainMs) abandon()
      }, watchMs)

      function abandon(): void {
        waiting.length = 0
        next = sendable()
        endAtMs = Math.min(endAtMs, monotonicMs())
        for (const lane of lanes) if (lane.isBusy) lane.giveUp('abandoned')
        finished()
      }

      if (times === undefined) for (const lane of lanes) free(lane)
      else pace()
      await over
      clearInterval(watch)
      clearInterval(lagTimer)
      const elapsedMs = monotonicMs() - startMs
      const cpu = (threadCpuMs() - cpuBefore) / elapsedMs
      for (const lane of lanes) lane.close()
      await clients.stop()
      const planned = times === undefined ? begun : sendable()
      return {
        ...tally.result(),
        lateness: lateness.serialize(),
        lag: lag.serialize(),
        ...(stampLag !== undefined && { stampLag: stampLag.serialize() }),
        ...(stampGapError !== undefined && { stampGapError: stampGapError.serialize() }),
        cpu,
        unsent: isStopped ? 0 : planned - begun,
        connectionsUsed: times === undefined ? lanes.length : used,
      }
    },
  }
}

/** Compiles what judges replies before the first of them comes. */
function warmSchemas(): void {
  departures(streamChunkSchema, {})
  departures(chatCompletionSchema, {})
}

/** The part of a whole number that falls to one of several. */
function partOf(whole: number, shard: number, shards: number): number {
  return Math.floor(whole / shards) + (shard < whole % shards ? 1 : 0)
}

/** CPU time of this thread in milliseconds; of the process where the runtime can not tell threads apart. */
function threadCpuMs(): number {
  const ofThread: unknown = Reflect.get(process, 'threadCpuUsage')
  const usage = (typeof ofThread === 'function' ? ofThread.call(process) : process.cpuUsage()) as NodeJS.CpuUsage
  return (usage.user + usage.system) / 1000
}
