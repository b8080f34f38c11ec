import pg from 'pg'
import { StoreUnavailable } from '../store.ts'

/** Classes of SQLSTATE that mean a wrong statement or wrong values: a bug, and no trouble of the database. */
const bugs = /^(?:22|23|42)/

/** What a failure of the database means. One that the server itself reports took no effect, unless the server is going down. */
export function unavailable(error: unknown, wasSent: boolean): unknown {
  if (error instanceof StoreUnavailable) return error
  const reported = error instanceof pg.DatabaseError ? error : undefined
  if (reported?.code !== undefined && bugs.test(reported.code)) return error
  const reason = error instanceof Error ? error.message : String(error)
  const isInDoubt = wasSent && reported?.severity !== 'ERROR'
  return new StoreUnavailable(`the database does not answer: ${reason}`, { isInDoubt, cause: error })
}
