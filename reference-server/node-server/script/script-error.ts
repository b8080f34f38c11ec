import type { ScriptFault } from './script.ts'

const usual = { message: 'The node failed.', type: 'server_error', param: null, code: 'node_failed' }

/** The error that a script sends inside a reply whose status says success. */
export function errorOf({ error = usual }: ScriptFault): { readonly error: Readonly<Record<string, unknown>> } {
  return { error }
}
