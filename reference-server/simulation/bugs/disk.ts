import { StoreUnavailable } from '../../store/store.ts'
import type { Bug } from '../bug.ts'

/** A ledger that is written wrongly. */
export const diskBugs = {
  'acknowledged-early': {
    about: 'A change is acknowledged before it is on the disk.',
    world: 'embedded',
    committer: (real) => ({
      ...real,
      commit(...group) {
        const written = real.commit(...group)
        if (group.length < 3) return written
        written.catch(() => undefined)
        return Promise.resolve([])
      },
    }),
  },
  'torn-group': {
    about: 'The statements of one change are committed one by one, and a crash comes between.',
    world: 'embedded',
    committer: (real) => ({
      ...real,
      async commit(...group) {
        let rows: Awaited<ReturnType<typeof real.commit>> = []
        for (const statement of group) rows = await real.commit(statement)
        return rows
      },
    }),
  },
  'written-again': {
    about: 'A charge that the disk did not take at once is written under a second name as well.',
    world: 'embedded',
    committer: (real) => ({
      ...real,
      commit: (...group) =>
        real.commit(...group).catch(async (error: unknown) => {
          if (!(error instanceof StoreUnavailable)) throw error
          const again = group.map(({ name, values }) => ({
            name,
            values: values.map((value) => (String(value).startsWith('req_') ? `${value}again` : value)),
          }))
          void real.commit(...again).catch(() => undefined)
          throw error
        }),
    }),
  },
  'failure-swallowed': {
    about: 'A change that could not be written is taken for written.',
    world: 'embedded',
    committer: (real) => ({ ...real, commit: (...group) => real.commit(...group).catch(() => [{ number: 1n }]) }),
  },
} as const satisfies Record<string, Bug>
