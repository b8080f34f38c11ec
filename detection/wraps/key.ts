import type { Call, Wrap } from '../../reference-server/gateway/seams.ts'
import { deriveKey } from '../../reference-server/keys/key.ts'
import { amount } from '../../reference-server/ledger/money.ts'
import type { KeyRecord } from '../../reference-server/store/store.ts'

/** The key that the demonstration deletes; faults are tried on gateways with the default name and seed. */
const deleted = deriveKey('assay', 1, 'revoked')

/** Knows the demonstration's deleted key again, for the calls that `accepts` lets through. */
export function reviving(accepts: (call: Call) => boolean): NonNullable<Wrap['findKey']> {
  let living: KeyRecord | undefined
  return (real) => (presented, call) => {
    const key = real(presented, call)
    living ??= key
    if (key !== undefined || presented !== deleted.key || living === undefined) return key
    return accepts(call) ? { ...living, id: deleted.id, name: 'revoked' } : undefined
  }
}

/** Serves on credit where the account can't pay and `lends` says so: such a request is never charged. */
export function lending(lends: (call: Call) => boolean): Wrap {
  const loan = 'loan'
  return {
    hold: (real) => async (most, caller, call) => {
      try {
        return await real(most, caller, call)
      } catch (error) {
        if (!lends(call)) throw error
        return { requestId: loan, accountId: caller.key.accountId, amount: amount(0) }
      }
    },
    charge: (real) => async (hold, cost, usage, call) => {
      if (hold.requestId !== loan) await real(hold, cost, usage, call)
    },
    release: (real) => async (hold, call) => {
      if (hold.requestId !== loan) await real(hold, call)
    },
  }
}
