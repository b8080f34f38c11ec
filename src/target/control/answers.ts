import { at, isRecord, listAt, numberAt, textAt } from '../../json.ts'
import { controlFailed } from './call.ts'
import type { Verb } from './verbs.ts'

export interface AccountState {
  readonly balanceUsd: string
  readonly heldUsd: string
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

/** A key as a list of keys shows it. */
export interface ListedKey {
  readonly id: string
  readonly name: string
}

/** A model with the states of its nodes. */
export interface NodesOfModel {
  readonly id: string
  readonly states: readonly string[]
}

export function readAccount(account: unknown): AccountState {
  return {
    balanceUsd: needText('account', account, 'balanceUsd'),
    heldUsd: needText('account', account, 'heldUsd'),
  }
}

export function readUsage(usage: unknown): KeyUsage {
  return {
    requests: needCount(usage, 'requests'),
    promptTokens: needCount(usage, 'promptTokens'),
    completionTokens: needCount(usage, 'completionTokens'),
    costUsd: needText('keyUsage', usage, 'costUsd'),
  }
}

/** A key that was just created, with its value. */
export function readNewKey(verb: Verb, made: unknown): { readonly id: string; readonly key: string } {
  return { id: needText(verb, made, 'id'), key: needText(verb, made, 'key') }
}

export function readKeys(answer: unknown): readonly ListedKey[] {
  return listAt(answer, 'keys').map((key) => ({
    id: needText('keys', key, 'id'),
    name: needText('keys', key, 'name'),
  }))
}

export function readEntry(entry: unknown): LedgerEntry {
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

export function readModels(answer: unknown): readonly NodesOfModel[] {
  return listAt(answer, 'models').map((model) => ({
    id: needText('models', model, 'id'),
    states: listAt(model, 'nodes').map((node) => needText('models', node, 'state')),
  }))
}

export function needText(verb: Verb, value: unknown, field: string): string {
  const text = textAt(value, field)
  if (text === undefined) throw controlFailed(verb, `answered without ${field}`)
  return text
}

function needCount(value: unknown, field: string): number {
  const count = isRecord(value) ? at(value, field) : undefined
  if (typeof count !== 'number' || !Number.isInteger(count))
    throw controlFailed('keyUsage', `answered without ${field}`)
  return count
}
