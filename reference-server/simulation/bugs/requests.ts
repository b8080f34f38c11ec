import { insufficientFunds } from '../../gateway/gateway-error.ts'
import { StoreUnavailable } from '../../store/store.ts'
import type { Bug } from '../bug.ts'

/** Wrong ends of a request. */
export const requestBugs = {
  'release-forgotten': {
    about: 'What was set aside for a request that failed stays set aside.',
    seams: () => ({ release: () => async () => {} }),
  },
  'free-when-the-client-leaves': {
    about: 'A client that leaves pays nothing for what it got.',
    store: (real) => ({
      ...real,
      charge: (hold, charge) => (charge.completionTokens === 0 ? real.release(hold) : real.charge(hold, charge)),
    }),
    seams: () => ({
      charge: (real) => (hold, cost, usage, call) =>
        real(hold, cost, call.left.aborted ? { ...usage, completionTokens: 0 } : usage, call),
    }),
  },
  'hold-charged-whole': {
    about: 'A request is charged what was set aside for it, not what it used.',
    store: (real) => ({ ...real, charge: (hold, charge) => real.charge(hold, { ...charge, amount: hold.amount }) }),
  },
  'reply-before-the-charge': {
    about: 'The last byte of a reply does not wait until its charge is durable.',
    seams: () => ({
      charge: (real) => async (hold, cost, usage, call) => {
        real(hold, cost, usage, call).catch(() => undefined)
      },
    }),
  },
  'trouble-served-free': {
    about: 'A reply goes out whole although the books did not take its charge.',
    store: (real) => ({
      ...real,
      charge: (hold, charge) =>
        real.charge(hold, charge).catch(async (error: unknown) => {
          if (!(error instanceof StoreUnavailable)) throw error
          await real.release(hold)
        }),
    }),
  },
  'trouble-told-as-no-funds': {
    about: 'A customer is told 402 when the store cannot be reached.',
    seams: () => ({
      hold: (real) => (most, caller, call) =>
        real(most, caller, call).catch((error: unknown) => {
          throw error instanceof StoreUnavailable ? insufficientFunds() : error
        }),
    }),
  },
} as const satisfies Record<string, Bug>
