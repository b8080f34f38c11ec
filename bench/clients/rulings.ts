import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'

/** What the red cells of `results/clients/` were found to be, by hand. */
interface Rulings {
  /** Situations: why it is the library's own limit. */
  readonly limits: readonly { readonly client: string; readonly situation: string; readonly limit: string }[]
  /** Streams of other servers: who is at fault where a client fails. */
  readonly streams: readonly {
    readonly server: string
    readonly ending: string
    readonly fault: 'server' | 'client'
    readonly reason: string
  }[]
}

export function readClientRulings(): Rulings {
  return parse(readFileSync(join(import.meta.dirname, 'rulings.yaml'), 'utf8'))
}
