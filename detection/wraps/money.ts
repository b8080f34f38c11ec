import { setTimeout } from 'node:timers/promises'
import type { GatewayError } from '../../reference-server/gateway/gateway-error.ts'
import type { Call, Caller, Seams, Usage, Wrap } from '../../reference-server/gateway/seams.ts'
import { costOf, type PicoUsd, pricePerToken } from '../../reference-server/ledger/money.ts'

/** A charge of nothing. */
export const free = 0n as PicoUsd

export const tokensOf = ({ promptTokens, completionTokens }: Usage): number => promptTokens + completionTokens

export const priceOf = ({ model }: Call): number => model?.price ?? 0

/** What the request allows, at most the default of the gateway; what was used if it names no limit. */
export const limitOf = ({ body }: Call, used: number): number => Math.min(4096, body?.tokensMax ?? used)

export const hasLeft = ({ left }: Call): boolean => left.aborted

/** The honest seams of money, for faults that use them a second time. */
export interface Ledger {
  readonly hold: Seams['hold']
  readonly charge: Seams['charge']
  readonly release: Seams['release']
}

/** Charges another amount than the cost of the request, but never more than was set aside. */
export function charging(change: (cost: PicoUsd, usage: Usage, call: Call) => PicoUsd): Wrap {
  return { charge: (real) => (hold, cost, usage, call) => real(hold, change(cost, usage, call), usage, call) }
}

/** Charges by other token counts or another price. */
export function pricing(usdPerMillion: (usage: Usage, call: Call) => readonly [tokens: number, price: number]): Wrap {
  return charging((_, usage, call) => {
    const [tokens, price] = usdPerMillion(usage, call)
    return costOf(tokens, pricePerToken(price))
  })
}

/** Makes a wrap that uses the honest ledger, which is known before the first request. */
export function withLedger(use: (ledger: Ledger) => Wrap): Wrap {
  const unknown = (): never => {
    throw new Error('the ledger is used before the gateway is made of its seams')
  }
  const ledger: { -readonly [K in keyof Ledger]: Ledger[K] } = { hold: unknown, charge: unknown, release: unknown }
  const wrap = use(ledger)
  return {
    ...wrap,
    hold(real) {
      ledger.hold = real
      return wrap.hold?.(real) ?? real
    },
    charge(real) {
      ledger.charge = real
      return wrap.charge?.(real) ?? real
    },
    release(real) {
      ledger.release = real
      return wrap.release?.(real) ?? real
    },
  }
}

/** Does something after the answer; by then the account may be closed. */
export function later(ms: number, work: () => Promise<void>): void {
  void setTimeout(ms)
    .then(work)
    .catch(() => undefined)
}

/** Charges the calls that `when` names a second time. */
export function chargingAgain(when: (call: Call) => boolean): Wrap {
  return withLedger((ledger) => ({
    charge: (real) => async (held, cost, usage, call) => {
      await real(held, cost, usage, call)
      if (when(call)) await pay(ledger, cost, usage, call)
    },
  }))
}

/** Holds and charges at once. An account that cannot pay is let off. */
export async function pay(ledger: Ledger, cost: PicoUsd, usage: Usage, call: Call): Promise<void> {
  if (call.caller === undefined) return
  const held = await ledger.hold(cost, call.caller, call).catch(() => undefined)
  if (held !== undefined) await ledger.charge(held, cost, usage, call)
}

/** Charges the refusals that `isCharged` names as if ten tokens had been used. */
export function chargingRefusals(isCharged: (error: GatewayError, call: Call) => boolean): Wrap {
  return withLedger((ledger) => ({
    errorAnswer: (real) => (error, call) => {
      const usage = { promptTokens: 10, completionTokens: 0 }
      if (isCharged(error, call)) later(0, () => pay(ledger, 1_000_000n as PicoUsd, usage, call))
      return real(error, call)
    },
  }))
}

/** Sets money aside that is never released. */
export function leaking(when: (call: Call) => boolean, at: 'charge' | 'release'): Wrap {
  return withLedger((ledger) => {
    const leak = async (call: Call): Promise<void> => {
      if (when(call) && call.caller !== undefined) await ledger.hold(1000n as PicoUsd, call.caller, call)
    }
    if (at === 'release')
      return {
        release: (real) => async (held, call) => {
          await real(held, call)
          await leak(call)
        },
      }
    return {
      charge: (real) => async (held, cost, usage, call) => {
        await real(held, cost, usage, call)
        await leak(call)
      },
    }
  })
}

/** Lets the account of the first caller pay for the callers that `when` names. */
export function payingForOthers(when: (caller: Caller) => boolean): Wrap {
  let first: Caller | undefined
  return {
    hold: (real) => (most, caller, call) => {
      first ??= caller
      return real(most, when(caller) ? first : caller, call)
    },
  }
}
