import type { Seams } from '../../../reference-server/gateway/seams.ts'
import type { KeyRecord, KeyTerms, KeyUsage } from '../../../reference-server/store/store.ts'
import type { Fault } from '../fault.ts'

/** Gateways that the checks of `suites/5-authentication/5-changed-keys.ts` must notice. */
export const changedKeysFaults = {
  'rotation-ends-the-old-key': {
    about: 'A key is refused from the moment it is rotated.',
    breaks: ['key.rotated-works-beside-its-successor'],
    wrap: () => {
      const rotated = new Set<string>()
      return {
        rotateKey: (real) => async (keyId) => {
          const made = await real(keyId)
          rotated.add(keyId)
          return made
        },
        findKey: (real) => (presented, call) => {
          const key = real(presented, call)
          return key !== undefined && rotated.has(key.id) ? undefined : key
        },
      }
    },
  },
  'rotated-key-can-not-be-deleted': {
    about: 'Deleting a key that was rotated does nothing.',
    breaks: ['key.rotated-works-beside-its-successor'],
    wrap: () => {
      const rotated = new Set<string>()
      return {
        rotateKey: (real) => (keyId) => {
          rotated.add(keyId)
          return real(keyId)
        },
        deleteKey: (real) => async (keyId) => rotated.has(keyId) || real(keyId),
      }
    },
  },
  'successor-dies-with-the-old-key': {
    about: 'Deleting a key that was rotated deletes its successor, too.',
    breaks: ['key.rotated-works-beside-its-successor'],
    wrap: () => {
      const successors = new Map<string, string>()
      return {
        rotateKey: (real) => async (keyId) => {
          const made = await real(keyId)
          if (made !== undefined) successors.set(keyId, made.record.id)
          return made
        },
        deleteKey: (real) => async (keyId) => {
          const successor = successors.get(keyId)
          if (successor !== undefined) await real(successor)
          return real(keyId)
        },
      }
    },
  },
  'successor-without-limits': {
    about: 'The successor of a rotated key has its name and no limits.',
    breaks: ['key.successor-has-its-limits'],
    wrap: () => {
      let change: Seams['changeKey'] | undefined
      return {
        changeKey(real) {
          change = real
          return real
        },
        rotateKey: (real) => async (keyId) => {
          const made = await real(keyId)
          if (made !== undefined) await change?.(made.record.id, { name: made.record.name })
          return made
        },
      }
    },
  },
  'new-limit-after-a-restart': {
    about: 'A limit that a key is given later holds only after a restart.',
    breaks: ['key.changed-limit-holds-at-once'],
    wrap: () => ({
      changeKey:
        (real) =>
        (keyId, { name }) =>
          real(keyId, { name }),
    }),
  },
  'limit-can-not-be-lifted': {
    about: 'A change of a key leaves limits as they are that it does not name.',
    breaks: ['key.changed-limit-holds-at-once'],
    wrap: () => {
      const limits = new Map<string, Omit<KeyTerms, 'name'>>()
      return {
        changeKey: (real) => (keyId, terms) => {
          const { name: _, ...given } = terms
          limits.set(keyId, { ...limits.get(keyId), ...given })
          return real(keyId, { ...limits.get(keyId), ...terms })
        },
      }
    },
  },
  'renaming-resets-usage': {
    about: 'The usage of a key begins anew when it is renamed.',
    breaks: ['key.renamed-stays-itself'],
    wrap: () => {
      const shown = new Map<string, KeyUsage>()
      const renamed = new Map<string, number>()
      return {
        changeKey: (real) => (keyId, terms) => {
          renamed.set(keyId, shown.get(keyId)?.requests ?? 0)
          return real(keyId, terms)
        },
        keyUsage: (real) => async (keyId) => {
          const usage = await real(keyId)
          if (usage !== undefined) shown.set(keyId, usage)
          return usage && { ...usage, requests: usage.requests - (renamed.get(keyId) ?? 0) }
        },
      }
    },
  },
  'renaming-does-nothing': {
    about: 'A change of a key changes its limits and leaves its name.',
    breaks: ['key.renamed-stays-itself'],
    wrap: () => {
      const names = new Map<string, string>()
      return {
        createKey: (real) => async (accountId, terms) => {
          const made = await real(accountId, terms)
          if (made !== undefined) names.set(made.record.id, terms.name)
          return made
        },
        changeKey: (real) => (keyId, terms) => real(keyId, { ...terms, name: names.get(keyId) ?? terms.name }),
      }
    },
  },
  'renamed-key-has-another-value': {
    about: 'A key is refused once it is renamed, because its value is derived from its name.',
    breaks: ['key.renamed-stays-itself'],
    follows: ['key.changed-limit-holds-at-once'],
    wrap: () => {
      const renamed = new Set<string>()
      return {
        changeKey: (real) => (keyId, terms) => {
          renamed.add(keyId)
          return real(keyId, terms)
        },
        findKey: (real) => (presented, call) => {
          const key: KeyRecord | undefined = real(presented, call)
          return key !== undefined && renamed.has(key.id) ? undefined : key
        },
      }
    },
  },
} as const satisfies Record<string, Fault>
