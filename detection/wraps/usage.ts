import type { Call, Usage, Wrap } from '../../reference-server/gateway/seams.ts'
import type { PicoUsd } from '../../reference-server/ledger/money.ts'
import type { KeyUsage } from '../../reference-server/store/store.ts'

/** Shows another usage of a key than it has. */
export function showingUsage(change: (usage: KeyUsage, keyId: string) => KeyUsage): Wrap {
  return {
    keyUsage: (real) => async (keyId) => {
      const usage = await real(keyId)
      return usage && change(usage, keyId)
    },
  }
}

/** Leaves parts of some requests out of the usage of their keys. */
export function leavingOutOfUsage(
  when: (call: Call) => boolean,
  part: (cost: PicoUsd, usage: Usage) => Partial<KeyUsage>,
): Wrap {
  const leftOut = new Map<string, KeyUsage>()
  return {
    charge: (real) => async (hold, cost, usage, call) => {
      await real(hold, cost, usage, call)
      const id = call.caller?.key.id ?? ''
      if (when(call)) leftOut.set(id, sum(leftOut.get(id), part(cost, usage)))
    },
    ...showingUsage((usage, keyId) => {
      const less = leftOut.get(keyId)
      if (less === undefined) return usage
      return {
        ...usage,
        requests: usage.requests - less.requests,
        promptTokens: usage.promptTokens - less.promptTokens,
        completionTokens: usage.completionTokens - less.completionTokens,
        usd: (usage.usd - less.usd) as PicoUsd,
      }
    }),
  }
}

/** Adds usages of keys, whose missing parts are zero. */
export function sum(...usages: readonly (Partial<KeyUsage> | undefined)[]): KeyUsage {
  const total = (partOf: (usage: Partial<KeyUsage>) => number | undefined): number =>
    usages.reduce((before, usage = {}) => before + (partOf(usage) ?? 0), 0)
  return {
    requests: total(({ requests }) => requests),
    promptTokens: total(({ promptTokens }) => promptTokens),
    completionTokens: total(({ completionTokens }) => completionTokens),
    usd: usages.reduce((before, usage) => before + (usage?.usd ?? 0n), 0n) as PicoUsd,
  }
}
