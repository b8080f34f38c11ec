import { countOf } from '../../count.ts'
import type { EngineResult } from '../engine/engine.ts'
import type { LoadPlan } from '../schedule/plan.ts'
import { type Stats, statsOf } from './histogram.ts'
import type { Outcomes } from './outcome.ts'

/** How far the figures can be trusted, and why no further. */
export interface Validity {
  readonly verdict: 'valid' | 'suspect' | 'invalid' | 'interrupted'
  readonly reasons: readonly string[]
  /** How late requests were sent, in milliseconds. */
  readonly sendLatenessMs: Stats
  /** How late the client's own timers were: at worst it stamps what it reads this late. */
  readonly clientLagMs: Stats
  /** CPU of each shard; 1 is a whole core. */
  readonly cpuPerShard: readonly number[]
  /** Above 1 when events arrive together: gaps within a read are zero. */
  readonly eventsPerRead: number
  /** Requests per second that the plan asks for; null in a closed loop. */
  readonly askedPerS: number | null
  readonly achievedPerS: number
  /** Requests that were due and never sent. */
  readonly unsent: number
}

/** What the verdict is based on: the plan, each shard and the run. */
type Planned = Pick<LoadPlan, 'arrivals' | 'durationMs' | 'warmupMs' | 'stream'>
type Counted = Pick<
  EngineResult,
  'lateness' | 'lag' | 'cpu' | 'reads' | 'seconds' | 'unsent' | 'empty' | 'connectionsUsed'
>

type Finding = readonly ['suspect' | 'invalid', string]

export function validityOf(
  plan: Planned,
  results: readonly Counted[],
  lost: readonly string[],
  run: Pick<Outcomes, 'sent' | 'ok'> & {
    readonly spanS: number
    /** Complete replies that the latencies are of. */
    readonly steady: number
  },
): Validity {
  const sendLatenessMs = statsOf(results.map(({ lateness }) => lateness))
  const clientLagMs = statsOf(results.map(({ lag }) => lag))
  const cpuPerShard = results.map(({ cpu }) => cpu)
  const reads = results.reduce((sum, result) => sum + result.reads, 0)
  const eventsRead = results.flatMap(({ seconds }) => seconds).reduce((sum, { events }) => sum + events, 0)
  const eventsPerRead = reads === 0 ? 0 : eventsRead / reads
  const unsent = results.reduce((sum, result) => sum + result.unsent, 0)
  const isOpen = plan.arrivals.kind !== 'closed'
  const sendingS = Math.min(plan.durationMs / 1000, Number.isNaN(run.spanS) ? Number.POSITIVE_INFINITY : run.spanS)
  const achievedPerS = run.sent / Math.max(sendingS, 1e-3)
  const askedPerS = isOpen ? (run.sent + unsent) / Math.max(sendingS, 1e-3) : null
  const eventsPerShardS = eventsRead / Math.max(run.spanS, 1e-3) / Math.max(results.length, 1)
  const empty = results.reduce((sum, result) => sum + result.empty, 0)
  const findings = [
    ...lost.map((what): Finding => ['invalid', what]),
    run.sent === 0 && (['invalid', 'nothing was sent'] as const),
    run.sent > 0 && run.ok === 0 && (['suspect', 'no request succeeded: there are no latencies'] as const),
    run.ok > 0 &&
      run.steady === 0 &&
      ([
        'suspect',
        `no complete reply was to a request after the first ${plan.warmupMs / 1000} s, which --warmup leaves out: there are no latencies`,
      ] as const),
    ...cpuFindings(cpuPerShard),
    ...lagFindings(clientLagMs),
    isOpen &&
      unsent > 0 &&
      (['invalid', `${countOf(unsent, 'request')} never sent: raise the connections or lower the rate`] as const),
    ...(isOpen ? latenessFindings(sendLatenessMs, results, plan) : []),
    eventsPerShardS > 47_000 &&
      (['invalid', `${Math.round(eventsPerShardS)} events per second on one shard: use more shards`] as const),
    eventsPerShardS > 25_000 &&
      eventsPerShardS <= 47_000 &&
      (['suspect', `${Math.round(eventsPerShardS)} events per second on one shard`] as const),
    plan.stream &&
      eventsPerRead > 2 &&
      ([
        'suspect',
        `${eventsPerRead.toFixed(1)} events per read: they arrive together, so gaps are those between packets`,
      ] as const),
    empty > 0 && (['suspect', `${empty} complete streams had no content, and so no first token`] as const),
  ].filter((finding): finding is Finding => finding !== false)
  const verdict = findings.some(([kind]) => kind === 'invalid') ? 'invalid' : findings.length > 0 ? 'suspect' : 'valid'
  return {
    verdict,
    reasons: findings.map(([, reason]) => reason),
    sendLatenessMs,
    clientLagMs,
    cpuPerShard,
    eventsPerRead,
    askedPerS,
    achievedPerS,
    unsent,
  }
}

function cpuFindings(cpuPerShard: readonly number[]): readonly Finding[] {
  return cpuPerShard.flatMap((cpu, shard): readonly Finding[] => {
    const share = `shard ${shard} used ${Math.round(cpu * 100)} % of a core`
    if (cpu > 0.95) return [['invalid', `${share}: the client was the limit`]]
    return cpu > 0.8 ? [['suspect', share]] : []
  })
}

function lagFindings({ count, p99 }: Stats): readonly Finding[] {
  if (count === 0 || p99 <= 20) return []
  return [[p99 > 100 ? 'invalid' : 'suspect', `the client itself was up to ${p99.toFixed(0)} ms late (p99)`]]
}

/** Requests that wait for a connection are late because of the target, which response times show. */
function latenessFindings(stats: Stats, results: readonly Counted[], { arrivals }: Planned): readonly Finding[] {
  const late = stats.unreliable.includes('p99') ? stats.p50 : stats.p99
  if (stats.count === 0 || late <= 20) return []
  const used = results.reduce((sum, { connectionsUsed }) => sum + connectionsUsed, 0)
  const isFull = arrivals.kind !== 'closed' && used >= arrivals.connectionsMax
  const why = isFull ? `: all ${countOf(used, 'connection')} busy` : ''
  return [['suspect', `requests were sent up to ${late.toFixed(0)} ms late${why}`]]
}
