import type { Message } from '../../network/node.ts'
import { InputError } from './input-error.ts'
import { readScript, type Script } from './script.ts'

/** The scripts of one node, and how many requests each has answered. */
export interface ScriptStore {
  /** Adds a script, or replaces the one with this id, and starts its count anew. Throws `InputError`. */
  put(id: string, script: unknown): void
  remove(id: string): void
  list(): Readonly<Record<string, Script>>
  /** The script for one more request with these messages; the request is counted. */
  take(messages: readonly Message[]): { readonly id?: string; readonly script?: Script }
}

interface Entry {
  readonly script: Script
  /** What answers next, and how many requests it has answered. */
  current: Script | undefined
  answered: number
}

const ID = /^[a-z0-9-]{1,200}$/
const NONCE = /assay-script-([a-z0-9-]{1,200})/g

export function scriptStore(): ScriptStore {
  const entries = new Map<string, Entry>()
  return {
    put(id, value) {
      if (!ID.test(id))
        throw new InputError('id', { where: 'id', problem: 'may only contain the letters a to z, digits and -' })
      const script = readScript(value)
      entries.set(id, { script, current: script, answered: 0 })
    },
    remove: (id) => void entries.delete(id),
    list: () => Object.fromEntries([...entries].map(([id, { script }]) => [id, script])),
    take(messages) {
      const ids = noncesOf(messages)
      const id = ids.find((candidate) => entries.has(candidate)) ?? ids[0]
      if (id === undefined) return {}
      const script = next(entries.get(id))
      return { id, ...(script !== undefined && { script }) }
    },
  }
}

function next(entry: Entry | undefined): Script | undefined {
  const script = entry?.current
  if (entry === undefined || script?.times === undefined) return script
  entry.answered += 1
  if (entry.answered === script.times) {
    entry.current = script.next
    entry.answered = 0
  }
  return script
}

function noncesOf(messages: readonly Message[]): string[] {
  return noncesIn(messages.findLast(({ role }) => role === 'user')?.content ?? '')
}

/** The ids of scripts that a text names. */
export function noncesIn(text: string): string[] {
  return [...text.matchAll(NONCE)].flatMap(([, id]) => id ?? [])
}
