import type { StatementId } from '../contract/statement-ids.ts'
import type { CheckId } from './check-ids.ts'

/** An id for a check that only a test has. */
export const idOf = (text: string): CheckId => text as CheckId

/** The fields that every observing check needs, for tests that do not care about them. */
export const openFields = { states: ['x' as StatementId], why: 'Because.', fix: 'Mend it.' } as const

/** The fields that every judging check needs. */
export const fields = { ...openFields, wrong: 'It is wrong.' } as const
