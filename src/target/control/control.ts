import { listAt, textAt } from '../../json.ts'
import type { Exchange } from '../../wire/transcript.ts'
import type { Wire } from '../../wire/wire.ts'
import type { ControlConfig } from '../config.ts'
import { Unsettled } from '../unsettled.ts'
import {
  type AccountState,
  type KeyUsage,
  type LedgerEntry,
  type ListedKey,
  type NodesOfModel,
  needText,
  readAccount,
  readEntry,
  readKeys,
  readModels,
  readNewKey,
  readUsage,
} from './answers.ts'
import { type ControlCall, controlFailed, createControlCall } from './call.ts'
import type { OpenThings } from './open-things.ts'
import type { Verb, VerbValues } from './verbs.ts'

export interface KeyTerms {
  readonly name: string
  readonly requestsPerMinute?: number
  readonly tokensPerMinute?: number
}

/**
 * The control API of a gateway (`fixtures/control/openapi.yaml`), over HTTP or through the commands of a profile. A
 * wrong answer from it leaves checks undecided: it is our instrument, not what is judged.
 */
export interface Control {
  openAccount(name: string, creditUsd?: string): Promise<string>
  account(id: string): Promise<AccountState>
  closeAccount(id: string): Promise<void>
  credit(id: string, amountUsd: string): Promise<void>
  createKey(accountId: string, terms: KeyTerms): Promise<{ readonly id: string; readonly key: string }>
  /** The live keys of an account. */
  keys(accountId: string): Promise<readonly ListedKey[]>
  /** Gives a key these terms; a limit that is absent ends. */
  changeKey(id: string, terms: KeyTerms): Promise<void>
  /** Creates a key with the terms of this one, beside it. */
  rotateKey(id: string): Promise<{ readonly id: string; readonly key: string }>
  deleteKey(id: string): Promise<void>
  keyUsage(id: string): Promise<KeyUsage>
  /** Every entry, page after page. */
  entries(accountId: string): Promise<readonly LedgerEntry[]>
  models(): Promise<readonly NodesOfModel[]>
  /** Restarts the gateway; resolves when it says that it serves again. */
  restart(): Promise<void>
  setNodes(modelId: string, state: 'up' | 'down' | 'blackhole'): Promise<void>
  /** Every answer so far as text, newest last: only the one that creates a key may hold its value. */
  readonly said: readonly { readonly verb: Verb; readonly text: string }[]
  /**
   * Undoes what was changed and not undone: closes accounts, brings nodes up. Says what it could not undo. What is under way
   * is waited for, so that it is undone too; nothing more is done after it.
   */
  undo(): Promise<readonly string[]>
}

const pageSize = 500
const pagesMax = 200

type Call = (verb: Verb, values?: VerbValues) => Promise<unknown>

export function createControl(
  config: ControlConfig,
  wire: Wire,
  keep: (exchange: Exchange) => void,
  open: OpenThings,
): Control {
  const { said, answerOf, during, end } = createCalls(createControlCall(config, wire, keep))
  const call: Call = (verb, values) => during(() => answerOf(verb, values))
  const openAccounts = new Set<string>()
  const changedModels = new Set<string>()

  return {
    said,
    openAccount: (name, creditUsd) =>
      during(async () => {
        // Its id is known only when it is open.
        open.add(unanswered(name))
        try {
          const id = needText('openAccount', await answerOf('openAccount', { name, creditUsd }), 'id')
          open.add(nameOfAccount(id))
          openAccounts.add(id)
          return id
        } finally {
          open.remove(unanswered(name))
        }
      }),
    account: async (accountId) => readAccount(await call('account', { accountId })),
    async closeAccount(accountId) {
      await call('closeAccount', { accountId })
      if (openAccounts.delete(accountId)) open.remove(nameOfAccount(accountId))
    },
    async credit(accountId, amountUsd) {
      await call('credit', { accountId, amountUsd })
    },
    createKey: async (accountId, terms) => readNewKey('createKey', await call('createKey', { accountId, ...terms })),
    keys: async (accountId) => readKeys(await call('keys', { accountId })),
    async changeKey(keyId, terms) {
      await call('changeKey', { keyId, ...terms })
    },
    rotateKey: async (keyId) => readNewKey('rotateKey', await call('rotateKey', { keyId })),
    async deleteKey(keyId) {
      await call('deleteKey', { keyId })
    },
    keyUsage: async (keyId) => readUsage(await call('keyUsage', { keyId })),
    entries: (accountId) => everyEntry(call, accountId),
    models: async () => readModels(await call('models')),
    async restart() {
      await call('restart')
    },
    async setNodes(modelId, state) {
      if (state !== 'up' && !changedModels.has(modelId)) {
        changedModels.add(modelId)
        open.add(nameOfNodes(modelId))
      }
      await call('setNodes', { modelId, state })
      if (state === 'up' && changedModels.delete(modelId)) open.remove(nameOfNodes(modelId))
    },
    async undo() {
      await end()
      const left = await undoAll(answerOf, open, [...openAccounts], [...changedModels])
      openAccounts.clear()
      changedModels.clear()
      return left
    },
  }
}

/** Calls with their answers as JSON values, until they are ended. */
function createCalls(ask: ControlCall) {
  const said: { verb: Verb; text: string }[] = []
  const underWay = new Set<Promise<unknown>>()
  let isOver = false
  return {
    said,
    async answerOf(verb: Verb, values: VerbValues = {}): Promise<unknown> {
      const text = await ask(verb, values)
      said.push({ verb, text })
      try {
        return text.trim() === '' ? {} : JSON.parse(text)
      } catch {
        throw controlFailed(verb, 'answered something that is not JSON')
      }
    },
    /** Part of what a check does, which may be over by now. */
    during<T>(work: () => Promise<T>): Promise<T> {
      if (isOver) return Promise.reject(new Unsettled('budget', 'the check is over'))
      const begun = work().finally(() => underWay.delete(begun))
      underWay.add(begun)
      return begun
    },
    /** Begins nothing more, and resolves when nothing is under way. */
    async end(): Promise<void> {
      isOver = true
      await Promise.allSettled(underWay)
    },
  }
}

async function everyEntry(call: Call, accountId: string): Promise<readonly LedgerEntry[]> {
  const all: LedgerEntry[] = []
  let after: string | undefined
  for (let page = 0; page < pagesMax; page += 1) {
    const answer = await call('entries', { accountId, limit: pageSize, after })
    all.push(...listAt(answer, 'entries').map(readEntry))
    after = textAt(answer, 'next')
    if (after === undefined) return all
  }
  throw controlFailed('entries', `did not end within ${pagesMax} pages`)
}

/** Says what could not be undone. */
async function undoAll(
  call: Call,
  open: OpenThings,
  accountIds: readonly string[],
  modelIds: readonly string[],
): Promise<readonly string[]> {
  const left: string[] = []
  const attempt = async (what: string, verb: Verb, values: VerbValues): Promise<void> => {
    await call(verb, values).then(
      () => open.remove(what),
      () => left.push(what),
    )
  }
  await Promise.all([
    ...accountIds.map((accountId) => attempt(nameOfAccount(accountId), 'closeAccount', { accountId })),
    ...modelIds.map((modelId) => attempt(nameOfNodes(modelId), 'setNodes', { modelId, state: 'up' })),
  ])
  return left
}

const nameOfAccount = (id: string): string => `account ${id}`
const nameOfNodes = (modelId: string): string => `nodes of ${modelId}`
const unanswered = (name: string): string => `an account named ${name}, if it was opened`
