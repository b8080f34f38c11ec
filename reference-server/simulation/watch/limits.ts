import type { Call, Wrap } from '../../gateway/seams.ts'
import type { Limits, LimitUnit, Reservation } from '../../keys/limits.ts'
import type { KeyRecord } from '../../store/store.ts'
import { askedIn } from '../client.ts'
import type { Scene } from '../scene.ts'
import type { Timeline } from '../timeline.ts'

const MINUTE_MS = 60_000
/** Below what a limit can tell apart. */
const TINY = 1e-6

/** What is left of one limit, in units: a second reading of what the key was promised. */
interface Gauge {
  readonly unit: LimitUnit
  readonly perMinute: number
  left(): number
  add(units: number): void
}

/** Whether one process keeps the limits of its keys: lets through what they allow, refuses what they do not, and forgets nothing. */
export interface LimitWatch {
  readonly wrap: Wrap
  /** What is wrong once no request is under way. */
  atRest(): readonly string[]
}

export function watchLimits({ timeline, problems }: Scene, limits: Limits): LimitWatch {
  const gauges = new Map<string, readonly Gauge[]>()
  const open = new Map<Reservation, number>()

  function gaugesOf(key: KeyRecord): readonly Gauge[] {
    let own = gauges.get(key.id)
    if (own === undefined) {
      own = gaugesFor(key, timeline)
      gauges.set(key.id, own)
    }
    return own
  }
  const add = (key: KeyRecord, requests: number, tokens: number): void => {
    for (const gauge of gaugesOf(key)) gauge.add(gauge.unit === 'requests' ? requests : tokens)
  }

  function compare(key: KeyRecord, number: number): void {
    for (const { unit, remaining } of limits.stateOf(key)) {
      const left =
        gaugesOf(key)
          .find((gauge) => gauge.unit === unit)
          ?.left() ?? 0
      const isSame = [left - TINY, left + TINY].some((about) => Math.max(0, Math.floor(about)) === remaining)
      if (!isSame) problems.push(`after request ${number}, ${remaining} ${unit} are left instead of ${left}`)
    }
  }
  function end(reservation: Reservation, call: Call): void {
    if (!open.delete(reservation)) problems.push(`request ${askedIn(call).number} gave back twice what it took`)
  }

  return {
    wrap: {
      reserve: (real) => async (caller, tokensMost, call) => {
        const { key } = caller
        const { number } = askedIn(call)
        const lacking = (): Gauge | undefined =>
          gaugesOf(key).find((gauge) => gauge.left() < neededOf(gauge, tokensMost) - TINY)
        try {
          const reservation = await real(caller, tokensMost, call)
          const { unit, perMinute } = lacking() ?? {}
          if (unit !== undefined) problems.push(`request ${number} exceeds the limit of ${perMinute} ${unit}`)
          add(key, -1, -reservation.tokens)
          open.set(reservation, number)
          return reservation
        } catch (error) {
          if (lacking() === undefined) problems.push(`request ${number} was refused below its limits: ${error}`)
          throw error
        } finally {
          compare(key, number)
        }
      },
      commit: (real) => (reservation, usage, call) => {
        real(reservation, usage, call)
        add(reservation.key, 0, reservation.tokens - usage.promptTokens - usage.completionTokens)
        end(reservation, call)
        compare(reservation.key, askedIn(call).number)
      },
      giveBack: (real) => (reservation, call) => {
        real(reservation, call)
        add(reservation.key, 1, reservation.tokens)
        end(reservation, call)
        compare(reservation.key, askedIn(call).number)
      },
    },
    atRest: () => [...open.values()].map((number) => `request ${number} still holds a part of its key's limits`),
  }
}

function gaugesFor(key: KeyRecord, timeline: Timeline): readonly Gauge[] {
  const limits = { requests: key.requestsPerMinute, tokens: key.tokensPerMinute }
  return (['requests', 'tokens'] as const).flatMap((unit) => gaugeOf(unit, limits[unit], timeline))
}

function gaugeOf(unit: LimitUnit, perMinute: number | undefined, timeline: Timeline): readonly Gauge[] {
  if (perMinute === undefined) return []
  let [level, atMs] = [perMinute, timeline.nowMs()]
  const left = (): number => Math.min(perMinute, level + ((timeline.nowMs() - atMs) * perMinute) / MINUTE_MS)
  const add = (units: number): void => {
    level = Math.min(perMinute, left() + units)
    atMs = timeline.nowMs()
  }
  return [{ unit, perMinute, left, add }]
}

/** What a request needs to be let through. */
function neededOf({ unit, perMinute }: Gauge, tokens: number): number {
  return unit === 'requests' ? 1 : Math.min(tokens, perMinute)
}
