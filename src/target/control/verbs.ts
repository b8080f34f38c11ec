/** The verbs, as a profile names them, with method and path. A gateway may lack those that are optional, and then answers 404. */
export const verbs = {
  openAccount: { method: 'POST', path: '/accounts' },
  account: { method: 'GET', path: '/accounts/{accountId}' },
  closeAccount: { method: 'DELETE', path: '/accounts/{accountId}' },
  credit: { method: 'POST', path: '/accounts/{accountId}/credit' },
  createKey: { method: 'POST', path: '/accounts/{accountId}/keys' },
  keys: { method: 'GET', path: '/accounts/{accountId}/keys', isOptional: true },
  changeKey: { method: 'PUT', path: '/keys/{keyId}', isOptional: true },
  rotateKey: { method: 'POST', path: '/keys/{keyId}/rotation', isOptional: true },
  deleteKey: { method: 'DELETE', path: '/keys/{keyId}' },
  keyUsage: { method: 'GET', path: '/keys/{keyId}/usage' },
  entries: { method: 'GET', path: '/accounts/{accountId}/entries' },
  models: { method: 'GET', path: '/models' },
  restart: { method: 'POST', path: '/restart', isOptional: true },
  setNodes: { method: 'PUT', path: '/models/{modelId}/nodes' },
} as const satisfies Record<string, VerbRoute>

interface VerbRoute {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  readonly path: string
  readonly isOptional?: true
}

export type Verb = keyof typeof verbs

/** Whether this answer says that the gateway does not offer the verb. */
export function isMissing(verb: Verb, status: number): boolean {
  const { isOptional }: VerbRoute = verbs[verb]
  return isOptional === true && (status === 404 || status === 405 || status === 501)
}

/** What a verb is called with: the parts of its path, its query and its body, by the names of the API. */
export type VerbValues = Readonly<Record<string, string | number | undefined>>
