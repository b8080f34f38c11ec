import type { PicoUsd } from '../../ledger/money.ts'
import type { BookedRequest, LoggedRequest, RequestLog } from '../request-log.ts'
import type { Entry } from '../store.ts'
import type { MemoryBooks } from './books.ts'

/** More would crowd out what the process is for. */
const KEPT_MAX = 100_000

/** The newest requests, in the order in which they ended. */
export function memoryRequestLog(chargesOf: MemoryBooks['chargesOf']): RequestLog {
  let kept: LoggedRequest[] = []
  return {
    async logRequests(requests) {
      kept.push(...requests)
      if (kept.length > 2 * KEPT_MAX) kept = kept.slice(-KEPT_MAX)
    },
    async requests(accountId, { id, keyId, model, outcome }, before, limit) {
      const found = kept
        .filter(
          (one) =>
            one.accountId === accountId &&
            (before === undefined || one.id < before) &&
            (id === undefined || one.id === id) &&
            (keyId === undefined || one.keyId === keyId) &&
            (model === undefined || one.model === model) &&
            (outcome === undefined || one.outcome === outcome),
        )
        .sort((one, other) => (one.id < other.id ? 1 : -1))
        .slice(0, limit)
      const charges = chargesOf(accountId, new Set(found.map((one) => one.id)))
      return found.map((one) => booked(one, charges.get(one.id)))
    },
    async forgetRequests(before) {
      kept = kept.filter(({ at }) => at >= before)
    },
  }
}

function booked(request: LoggedRequest, charge: Entry | undefined): BookedRequest {
  if (charge === undefined) return request
  const { promptTokens = 0, completionTokens = 0, usd } = charge
  return { ...request, promptTokens, completionTokens, usd: -usd as PicoUsd }
}
