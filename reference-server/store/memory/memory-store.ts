import type { Clock } from '../../clock.ts'
import { embeddedAccounts } from '../embedded/accounts.ts'
import { embeddedHolds } from '../embedded/holds.ts'
import { embeddedKeys } from '../embedded/keys.ts'
import type { LiveAccounts } from '../embedded/live-accounts.ts'
import { keyIndex } from '../key-index.ts'
import type { Store } from '../store.ts'
import { memoryBooks } from './books.ts'
import { memoryPeople } from './people.ts'
import { memoryRequestLog } from './request-log.ts'

/** A store that ends with its process. Nothing is written to a disk, so nothing waits and nothing fails. */
export function memoryStore(clock: Clock): Store {
  const accounts: LiveAccounts = new Map()
  const keys = keyIndex()
  const { books, chargesOf, journal } = memoryBooks()
  return {
    ...embeddedAccounts(journal, clock, accounts, keys),
    ...embeddedKeys(journal, clock, accounts, keys),
    ...embeddedHolds(journal, clock, accounts),
    ...books,
    ...memoryPeople(),
    ...memoryRequestLog(chargesOf),
    trouble: journal.trouble,
    close: async () => {},
  }
}
