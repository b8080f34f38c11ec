import type { Reservation } from '../keys/limits.ts'
import type { Job } from '../network/node.ts'
import type { Hold } from '../store/store.ts'
import type { Model } from './models.ts'
import type { Call, Caller, Seams } from './seams.ts'

/** What a request takes before it costs anything: a part of the key's limits, and a hold on the account. */
export interface Bill {
  readonly promptTokens: number
  /** Notes tokens that were written to the client. */
  deliver(tokens: number): void
  /** Charges a whole reply. Resolves when the charge is durable; only then may the reply's last byte go out. */
  settle(completionTokens: number): Promise<void>
  /** Charges what was delivered of a reply that broke off. Does nothing once the bill has ended. */
  settleDelivered(): Promise<void>
  /** Charges nothing and gives everything back. Does nothing once the bill has ended. */
  cancel(): Promise<void>
}

/** Throws `GatewayError` 429 or 402, and then takes nothing. */
export async function openBill(
  seams: Seams,
  call: Call,
  caller: Caller,
  model: Model,
  promptTokens: number,
  job: Job,
): Promise<Bill> {
  const reservation = await seams.reserve(caller, promptTokens + job.tokensMax, call)
  const most = seams.priceOf({ promptTokens, completionTokens: job.tokensMax }, model, call)
  const hold = await seams.hold(most, caller, call).catch((error: unknown) => {
    seams.giveBack(reservation, call)
    throw error
  })
  return billOf(seams, call, model, { promptTokens, reservation, hold })
}

interface Taken {
  readonly promptTokens: number
  readonly reservation: Reservation
  readonly hold: Hold
}

function billOf(seams: Seams, call: Call, model: Model, { promptTokens, reservation, hold }: Taken): Bill {
  let isOpen = true
  let delivered = 0
  async function settle(completionTokens: number): Promise<void> {
    isOpen = false
    const usage = { promptTokens, completionTokens }
    try {
      await seams.charge(hold, seams.priceOf(usage, model, call), usage, call)
    } catch (error) {
      if (delivered > 0) seams.commit(reservation, usage, call)
      else abandon()
      throw error
    }
    seams.commit(reservation, usage, call)
  }
  /** A reply that nobody gets costs nothing, even if the books learn of that later than the client. */
  function abandon(): void {
    seams.giveBack(reservation, call)
    seams.release(hold, call).catch(() => undefined)
  }
  return {
    promptTokens,
    deliver(tokens) {
      delivered += tokens
    },
    settle,
    async settleDelivered() {
      if (isOpen) await settle(seams.countCompletionTokens(delivered, call))
    },
    async cancel() {
      if (!isOpen) return
      isOpen = false
      seams.giveBack(reservation, call)
      await seams.release(hold, call)
    },
  }
}
