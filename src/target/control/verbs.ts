/** The verbs, as a profile names them, with method and path. */
export const verbs = {
  openAccount: { method: 'POST', path: '/accounts' },
  account: { method: 'GET', path: '/accounts/{accountId}' },
  closeAccount: { method: 'DELETE', path: '/accounts/{accountId}' },
  credit: { method: 'POST', path: '/accounts/{accountId}/credit' },
  createKey: { method: 'POST', path: '/accounts/{accountId}/keys' },
  deleteKey: { method: 'DELETE', path: '/keys/{keyId}' },
  keyUsage: { method: 'GET', path: '/keys/{keyId}/usage' },
  entries: { method: 'GET', path: '/accounts/{accountId}/entries' },
  models: { method: 'GET', path: '/models' },
  restart: { method: 'POST', path: '/restart' },
  setNodes: { method: 'PUT', path: '/models/{modelId}/nodes' },
} as const satisfies Record<string, { readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'; readonly path: string }>

export type Verb = keyof typeof verbs

/** What a verb is called with: the parts of its path, its query and its body, by the names of the API. */
export type VerbValues = Readonly<Record<string, string | number | undefined>>
