import { GatewayError } from '../../../reference-server/gateway/gateway-error.ts'
import type { PicoUsd } from '../../../reference-server/ledger/money.ts'
import { servingOnCredit } from '../../wraps/key.ts'
import { free } from '../../wraps/money.ts'
import type { Fault } from '../fault.ts'

/** Gateways that the checks of `suites/1-service/1-accounts.ts` must notice. */
export const accountsFaults = {
  'new-account-is-empty': {
    about: 'A new account receives no free credit.',
    breaks: ['account.free-credit'],
    wrap: () => ({ openAccount: (real) => (name, credit) => real(name, credit ?? free) }),
  },
  'free-credit-can-not-be-spent': {
    about: 'The free credit is shown but cannot be spent.',
    breaks: ['account.free-credit'],
    wrap: () => {
      const gifts = new Set<string>()
      return {
        openAccount: (real) => async (name, credit) => {
          const account = await real(name, credit)
          if (credit === undefined) gifts.add(account.id)
          return account
        },
        hold: (real) => (most, caller, call) =>
          real((gifts.has(caller.key.accountId) ? most * 1_000_000n : most) as PicoUsd, caller, call),
      }
    },
  },
  'poverty-is-remembered': {
    about: 'An account once refused for lack of funds is refused forever.',
    breaks: ['account.credit-works-at-once'],
    wrap: () => {
      const poor = new Map<string, GatewayError>()
      return {
        hold: (real) => async (most, caller, call) => {
          const known = poor.get(caller.key.accountId)
          if (known !== undefined) throw known
          return real(most, caller, call).catch((error: unknown) => {
            if (error instanceof GatewayError) poor.set(caller.key.accountId, error)
            throw error
          })
        },
      }
    },
  },
  'small-requests-on-credit': {
    about: 'Requests for a few tokens are served to accounts without money.',
    breaks: ['account.exhausted-is-refused', 'auth.unfunded-key-refused'],
    wrap: () => servingOnCredit((call) => (call.body?.tokensMax ?? 4096) <= 4),
  },
} as const satisfies Record<string, Fault>
