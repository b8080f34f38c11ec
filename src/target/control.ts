import { at, isRecord, listAt, numberAt, textAt } from '../json.ts'
import type { Exchange } from '../wire/transcript.ts'
import type { Wire } from '../wire/wire.ts'
import { readAnswer } from './answer.ts'
import type { ControlConfig } from './config.ts'
import { runHook } from './control-hooks.ts'
import { Unsettled } from './unsettled.ts'

export interface AccountState {
  readonly balanceUsd: string
  readonly heldUsd: string
}

export interface KeyTerms {
  readonly name: string
  readonly requestsPerMinute?: number
  readonly tokensPerMinute?: number
}

export interface KeyUsage {
  readonly requests: number
  readonly promptTokens: number
  readonly completionTokens: number
  readonly costUsd: string
}

export interface LedgerEntry {
  readonly kind: string
  readonly requestId?: string
  readonly keyId?: string
  readonly model?: string
  readonly promptTokens?: number
  readonly completionTokens?: number
  readonly amountUsd: string
}

/**
 * The control API of a gateway (`fixtures/control/openapi.yaml`), over HTTP or through the commands of a profile. What
 * it does not answer as it should leaves checks undecided: it is our instrument, not what is judged.
 */
export interface Control {
  openAccount(name: string, creditUsd?: string): Promise<string>
  account(id: string): Promise<AccountState>
  closeAccount(id: string): Promise<void>
  credit(id: string, amountUsd: string): Promise<void>
  createKey(accountId: string, terms: KeyTerms): Promise<{ readonly id: string; readonly key: string }>
  deleteKey(id: string): Promise<void>
  keyUsage(id: string): Promise<KeyUsage>
  /** Every entry, page after page. */
  entries(accountId: string): Promise<readonly LedgerEntry[]>
  /** Ids of models with the states of their nodes. */
  models(): Promise<readonly { readonly id: string; readonly states: readonly string[] }[]>
  setNodes(modelId: string, state: 'up' | 'down' | 'blackhole'): Promise<void>
  /** Every answer so far as text, newest last: a key's value must not be in one that does not create it. */
  readonly said: readonly { readonly verb: Verb; readonly text: string }[]
  /** Undoes what was changed and not undone: closes accounts, brings nodes up. Says what it could not undo. */
  undo(): Promise<readonly string[]>
}

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
  setNodes: { method: 'PUT', path: '/models/{modelId}/nodes' },
} as const satisfies Record<string, { readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'; readonly path: string }>

export type Verb = keyof typeof verbs

/** What a verb is called with: the parts of its path, its query and its body, by the names of the API. */
export type VerbValues = Readonly<Record<string, string | number | undefined>>

const silenceMsMax = 15_000
const pageSize = 500
const pagesMax = 200

export function createControl(config: ControlConfig, wire: Wire, keep: (exchange: Exchange) => void): Control {
  const said: { verb: Verb; text: string }[] = []
  const openAccounts = new Set<string>()
  const changedModels = new Set<string>()

  async function call(verb: Verb, values: VerbValues = {}): Promise<unknown> {
    const text = 'hooks' in config ? await runHook(config.hooks, verb, values) : await request(config, verb, values)
    said.push({ verb, text })
    try {
      return text.trim() === '' ? {} : JSON.parse(text)
    } catch {
      throw silent(verb, 'answered something that is not JSON')
    }
  }

  async function request({ url, token }: { url: string; token?: string }, verb: Verb, values: VerbValues) {
    const { method, path } = verbs[verb]
    const given = Object.entries(values).filter(([, value]) => value !== undefined)
    const inPath = (name: string): boolean => path.includes(`{${name}}`)
    const rest = Object.fromEntries(given.filter(([name]) => !inPath(name)))
    const query = new URLSearchParams()
    if (method === 'GET') for (const [name, value] of Object.entries(rest)) query.set(name, String(value))
    const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(values[name])))
    const body = method === 'POST' || method === 'PUT' ? { body: JSON.stringify(rest) } : {}
    const exchange = await wire.send(
      {
        method,
        url: `${url}/control/v1${filled}${query.size > 0 ? `?${query}` : ''}`,
        headers: [
          ...(token === undefined ? [] : ([['Authorization', `Bearer ${token}`]] as const)),
          ...('body' in body ? ([['Content-Type', 'application/json']] as const) : []),
        ],
        ...body,
      },
      { silenceMsMax, durationMsMax: silenceMsMax },
    )
    keep(exchange)
    const { status, text } = readAnswer(exchange)
    if (status === undefined) throw silent(verb, `did not answer (${exchange.ending})`)
    if (status < 200 || status > 299) throw silent(verb, `answered ${status}: ${text.slice(0, 200)}`)
    return text
  }

  return {
    said,
    async openAccount(name, creditUsd) {
      const id = needText('openAccount', await call('openAccount', { name, creditUsd }), 'id')
      openAccounts.add(id)
      return id
    },
    async account(accountId) {
      const account = await call('account', { accountId })
      return {
        balanceUsd: needText('account', account, 'balanceUsd'),
        heldUsd: needText('account', account, 'heldUsd'),
      }
    },
    async closeAccount(accountId) {
      await call('closeAccount', { accountId })
      openAccounts.delete(accountId)
    },
    async credit(accountId, amountUsd) {
      await call('credit', { accountId, amountUsd })
    },
    async createKey(accountId, terms) {
      const made = await call('createKey', { accountId, ...terms })
      return { id: needText('createKey', made, 'id'), key: needText('createKey', made, 'key') }
    },
    async deleteKey(keyId) {
      await call('deleteKey', { keyId })
    },
    async keyUsage(keyId) {
      const usage = await call('keyUsage', { keyId })
      return {
        requests: needCount(usage, 'requests'),
        promptTokens: needCount(usage, 'promptTokens'),
        completionTokens: needCount(usage, 'completionTokens'),
        costUsd: needText('keyUsage', usage, 'costUsd'),
      }
    },
    async entries(accountId) {
      const all: LedgerEntry[] = []
      let after: string | undefined
      for (let page = 0; page < pagesMax; page += 1) {
        const answer = await call('entries', { accountId, limit: pageSize, after })
        all.push(...listAt(answer, 'entries').map(readEntry))
        after = textAt(answer, 'next')
        if (after === undefined) return all
      }
      throw silent('entries', `did not come to an end within ${pagesMax} pages`)
    },
    async models() {
      const answer = await call('models')
      return listAt(answer, 'models').map((model) => ({
        id: needText('models', model, 'id'),
        states: listAt(model, 'nodes').map((node) => needText('models', node, 'state')),
      }))
    },
    async setNodes(modelId, state) {
      if (state === 'up') changedModels.delete(modelId)
      else changedModels.add(modelId)
      await call('setNodes', { modelId, state })
    },
    async undo() {
      const left: string[] = []
      const attempt = async (what: string, verb: Verb, values: VerbValues): Promise<void> => {
        await call(verb, values).catch(() => left.push(what))
      }
      await Promise.all([
        ...[...openAccounts].map((accountId) => attempt(`account ${accountId}`, 'closeAccount', { accountId })),
        ...[...changedModels].map((modelId) => attempt(`nodes of ${modelId}`, 'setNodes', { modelId, state: 'up' })),
      ])
      openAccounts.clear()
      changedModels.clear()
      return left
    },
  }
}

function readEntry(entry: unknown): LedgerEntry {
  const requestId = textAt(entry, 'requestId')
  const keyId = textAt(entry, 'keyId')
  const model = textAt(entry, 'model')
  const promptTokens = numberAt(entry, 'promptTokens')
  const completionTokens = numberAt(entry, 'completionTokens')
  return {
    kind: needText('entries', entry, 'kind'),
    amountUsd: needText('entries', entry, 'amountUsd'),
    ...(requestId !== undefined && { requestId }),
    ...(keyId !== undefined && { keyId }),
    ...(model !== undefined && { model }),
    ...(promptTokens !== undefined && { promptTokens }),
    ...(completionTokens !== undefined && { completionTokens }),
  }
}

function needText(verb: Verb, value: unknown, field: string): string {
  const text = textAt(value, field)
  if (text === undefined) throw silent(verb, `named no ${field}`)
  return text
}

function needCount(value: unknown, field: string): number {
  const count = isRecord(value) ? at(value, field) : undefined
  if (typeof count !== 'number' || !Number.isInteger(count)) throw silent('keyUsage', `named no ${field}`)
  return count
}

function silent(verb: Verb, problem: string): Unsettled {
  return new Unsettled('target', `the control API's ${verb} ${problem}`)
}
