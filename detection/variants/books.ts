import type { Seams, Wrap } from '../../reference-server/gateway/seams.ts'
import type { PicoUsd } from '../../reference-server/ledger/money.ts'
import type { KeyUsage } from '../../reference-server/store/store.ts'
import { renamingKeys } from '../wraps/key.ts'
import { free, later } from '../wraps/money.ts'
import type { Variant } from './variant.ts'

const unused: KeyUsage = { requests: 0, promptTokens: 0, completionTokens: 0, usd: free }

/** Legal gateways that charge or keep their books unusually. */
export const booksVariants = {
  'charged-a-moment-later': {
    about: 'A request is charged some tens of milliseconds after its last byte; the contract does not say when.',
    group: 'charge',
    wrap: () => chargingLater(40),
  },
  'charged-late-and-uncounted': {
    about:
      'A request is charged a tenth of a second after its last byte, and streams never say what they used; the contract leaves both open.',
    group: ['charge', 'stream-usage'],
    wrap: () => ({
      ...chargingLater(100),
      validate: (real) => (value, call) => ({ ...real(value, call), includeUsage: false }),
    }),
  },
  'usage-shown-later': {
    about: "A key's usage counts a request a tenth of a second after its charge; the contract does not say when.",
    group: 'charge',
    wrap: () => {
      const shown = new Map<string, KeyUsage>()
      let usageOf: Seams['keyUsage'] | undefined
      const show = async (keyId: string): Promise<void> => {
        const usage = await usageOf?.(keyId)
        if (usage !== undefined) shown.set(keyId, usage)
      }
      return {
        charge:
          (real) =>
          async (...args) => {
            await real(...args)
            const keyId = args[3].caller?.key.id ?? ''
            later(120, () => show(keyId))
          },
        keyUsage: (real) => {
          usageOf = real
          return async (keyId) => {
            const usage = await real(keyId)
            return usage && (shown.get(keyId) ?? unused)
          }
        },
      }
    },
  },
  'entries-shown-later': {
    about:
      "An account's entries show a change a tenth of a second after its balance does; the contract does not say when.",
    group: 'charge',
    wrap: () => ({
      entries:
        (real) =>
        async (...args) =>
          (await real(...args)).filter(({ at }) => Date.now() - at >= 120),
    }),
  },
  'large-free-credit': {
    about: 'A new account starts with 25 USD; the contract does not show the amount.',
    wrap: () => ({
      openAccount: (real) => (name, credit) => real(name, credit ?? (25_000_000_000_000n as PicoUsd)),
    }),
  },
  'left-before-content-is-free': {
    reported: true,
    about: 'A request whose client left before any content costs nothing; the contract leaves that open.',
    wrap: () => ({
      charge: (real) => (hold, cost, usage, call) =>
        real(hold, call.left.aborted && usage.completionTokens === 0 ? free : cost, usage, call),
    }),
  },
  'keys-of-another-form': {
    about: 'Keys have no id inside and end in other letters; the contract shows only their prefix.',
    wrap: () => renamingKeys((key) => `sk-other9-${key.slice(-40).replaceAll('-', '_')}Zz`),
  },
  'successor-with-a-name-of-its-own': {
    about:
      'The successor of a rotated key says in its name that it is one; the contract asks for names, not for which.',
    wrap: () => {
      let change: Seams['changeKey'] | undefined
      return {
        changeKey(real) {
          change = real
          return real
        },
        rotateKey: (real) => async (keyId) => {
          const made = await real(keyId)
          if (made !== undefined) await change?.(made.record.id, { ...made.record, name: `${made.record.name} (2)` })
          return made
        },
      }
    },
  },
  'deletion-cuts-streams': {
    about: 'A running stream is cut when its key is deleted; the contract speaks only of requests.',
    wrap: () => {
      const streams = new Map<string, Set<{ destroy(): void }>>()
      return {
        openStream: (real) => (head, call) => {
          const id = call.caller?.key.id ?? ''
          const open = streams.get(id) ?? new Set()
          streams.set(id, open.add(call.response))
          return real(head, call)
        },
        deleteKey: (real) => async (keyId) => {
          const isDeleted = await real(keyId)
          for (const response of streams.get(keyId) ?? []) response.destroy()
          return isDeleted
        },
      }
    },
  },
} as const satisfies Record<string, Variant>

/** Charges requests some time after their last byte. */
function chargingLater(ms: number): Wrap {
  return {
    charge:
      (real) =>
      async (...args) =>
        later(ms, () => real(...args)),
  }
}
