import { creditOf } from './gateway/honest-seams.ts'
import type { Model } from './gateway/models.ts'
import { costOf, pricePerToken, type Rate } from './ledger/money.ts'
import { type Prng, prng } from './network/prng.ts'
import { randomId } from './random-id.ts'
import type { SetClock } from './set-clock.ts'
import { type LoggedRequest, requestIdAt } from './store/request-log.ts'
import type { Store } from './store/store.ts'

const DAY_MS = 86_400_000
export const historyDays = 30

export interface HistoryOptions {
  readonly clock: SetClock
  readonly seed: number
  readonly rate: Rate
  readonly models: readonly Model[]
  readonly accountId: string
  readonly keyIds: readonly string[]
}

/** A request of the past: what it used, or why it came to nothing. */
interface Past extends LoggedRequest {
  readonly promptTokens: number
  readonly completionTokens: number
}

/** A month of requests, charged as they would have been: books, usage and log agree with one another. */
export async function addHistory(store: Store, options: HistoryOptions): Promise<void> {
  const { clock, seed } = options
  const chance = prng(seed)
  const now = clock.unixMs()
  for (let daysAgo = historyDays; daysAgo >= 1; daysAgo -= 1) {
    const requests = requestsOf(now - daysAgo * DAY_MS, chance, options)
    for (const request of requests.filter(({ outcome }) => outcome === 'ok')) await charge(store, request, options)
    await store.logRequests(requests.map(({ promptTokens: _, completionTokens: __, ...line }) => line))
  }
  clock.set(undefined)
}

async function charge(store: Store, request: Past, { clock, models, rate }: HistoryOptions): Promise<void> {
  const { id, at, accountId, keyId, model = '', durationMs, promptTokens, completionTokens } = request
  const price = pricePerToken(models.find((one) => one.id === model)?.price ?? 0)
  const sum = creditOf(costOf(promptTokens + completionTokens, price), rate)
  clock.set(at + durationMs)
  const hold = await store.hold(id, accountId, sum.amount)
  if (hold !== undefined) await store.charge(hold, { ...sum, keyId, model, promptTokens, completionTokens })
}

/** More on working days, most of them whole. */
function requestsOf(dayMs: number, { below }: Prng, { models, accountId, keyIds }: HistoryOptions): readonly Past[] {
  const isWeekend = [0, 6].includes(new Date(dayMs).getUTCDay())
  const times = Array.from({ length: 4 + below(isWeekend ? 8 : 24) }, () => dayMs + below(DAY_MS)).sort(
    (one, other) => one - other,
  )
  return times.map((at) => {
    const completionTokens = 20 + below(600)
    const firstTokenMs = 120 + below(400)
    return {
      id: randomId(requestIdAt(at)),
      at,
      accountId,
      keyId: keyIds[below(3) === 0 ? 1 : 0] ?? '',
      // The first model is asked most.
      model: models[Math.min(below(models.length), below(models.length))]?.id ?? '',
      promptTokens: 50 + below(3000),
      completionTokens,
      ...(endings[below(30)] ?? {
        outcome: 'ok',
        status: 200,
        firstTokenMs,
        durationMs: firstTokenMs + completionTokens * 12,
      }),
    }
  })
}

/** Of thirty requests three come to nothing. */
const endings: readonly Pick<LoggedRequest, 'outcome' | 'status' | 'code' | 'durationMs'>[] = [
  { outcome: 'refused', status: 429, code: 'rate_limit_exceeded', durationMs: 2 },
  { outcome: 'refused', status: 400, code: 'invalid_value', durationMs: 1 },
  { outcome: 'failed', status: 503, code: 'model_unavailable', durationMs: 4 },
]
