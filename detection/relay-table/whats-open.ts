import { type How, hows } from './hows.ts'
import type { Reason } from './reasons.ts'
import type { What } from './what.ts'

/** Whatever happens to it, the contract leaves it open. */
function open(about: string): What {
  const empty = Object.fromEntries(Object.keys(hows).map((how) => [how, 'open'])) as Record<How, Reason>
  return { about, faults: {}, empty, times: [], noticedBy: [] }
}

/** What a gateway may relay as it likes. */
export const whatsOpen = {
  'unknown-field': open('a field of a request that the contract does not name'),
  'message-field': open('a field of a message besides its role and its content'),
  'node-model': open('the name by which a node knows its model'),
  'node-stream': open('the mode in which a node is asked'),
  'caller-header': open('a header of the caller besides the key'),
  'node-header': open('a header of the answer of a node'),
  'node-usage': open('the usage that a node reports, as a gateway may count by itself'),
  'node-field': open('a field of a chunk or a reply of a node that the contract does not name'),
} as const satisfies Readonly<Record<string, What>>
