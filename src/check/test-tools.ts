import type { StatementId } from '../contract/statement-ids.ts'
import type { CheckId } from './check-ids.ts'

/** An id for a check that only a test has. */
export const idOf = (text: string): CheckId => text as CheckId

/** What every check has to say of itself, where a test does not care. */
export const fields = { states: ['x' as StatementId], why: 'Because.', fix: 'Mend it.' } as const
