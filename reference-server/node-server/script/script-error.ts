import type { Json, Problem } from '../dialect/dialect.ts'
import type { ScriptFault } from './script.ts'

const usual: Problem = { status: 500, message: 'The node failed.', type: 'server_error', code: 'node_failed' }

/** The error that a script sends inside a reply whose status says success; without one of its own, the dialect's. */
export function errorOf({ error }: ScriptFault, formOf: (problem: Problem) => Json): Json {
  return error === undefined ? formOf(usual) : { error }
}
