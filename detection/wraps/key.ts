import type { Call, MadeKey, Wrap } from '../../reference-server/gateway/seams.ts'
import { deriveKey } from '../../reference-server/keys/key.ts'
import { amount } from '../../reference-server/ledger/money.ts'
import type { KeyRecord } from '../../reference-server/store/store.ts'

/** The key that the demonstration deletes; faults run on gateways with the default name and seed. */
const deleted = deriveKey('assay', 1, 'revoked')

/** Tells of each key that is made. */
export function noticingNewKeys(notice: (made: MadeKey, accountId: string) => void): NonNullable<Wrap['createKey']> {
  return (real) => async (accountId, terms) => {
    const made = await real(accountId, terms)
    if (made !== undefined) notice(made, accountId)
    return made
  }
}

/** Gives new keys another form, and knows them by it. */
export function renamingKeys(rename: (key: string) => string): Wrap {
  const honest = new Map<string, string>()
  return {
    createKey: (real) => async (accountId, terms) => {
      const made = await real(accountId, terms)
      if (made === undefined) return made
      const key = rename(made.key)
      honest.set(key, made.key)
      return { ...made, key }
    },
    findKey: (real) => (presented, call) => real(honest.get(presented) ?? presented, call),
  }
}

/** Takes requests from the limits of another key: another id is another count. */
export function limitingAs(keyOf: (key: KeyRecord, call: Call) => KeyRecord): Wrap {
  return {
    reserve: (real) => (caller, tokens, call) => real({ ...caller, key: keyOf(caller.key, call) }, tokens, call),
  }
}

/** Accepts the demonstration's deleted key again, for the calls that `accepts` lets through. */
export function revivingDeletedKey(accepts: (call: Call) => boolean): NonNullable<Wrap['findKey']> {
  let living: KeyRecord | undefined
  return (real) => (presented, call) => {
    const key = real(presented, call)
    living ??= key
    if (key !== undefined || presented !== deleted.key || living === undefined) return key
    return accepts(call) ? { ...living, id: deleted.id, name: 'revoked' } : undefined
  }
}

/** Serves on credit where the account cannot pay and `lends` says so: such a request is never charged. */
export function servingOnCredit(lends: (call: Call) => boolean): Wrap {
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

/** Takes the key from another place when there is no bearer key. */
export function takingKeysFrom(presented: (call: Call) => string | undefined): Wrap {
  return {
    authenticate: (real) => (call) => {
      const key = presented(call)
      const { request } = call
      if (key === undefined || request.headers.authorization !== undefined) return real(call)
      request.rawHeaders.push('Authorization', `Bearer ${key}`)
      return real(call)
    },
  }
}
