import type { FaultKind } from '../script/script.ts'

/** How an exchange ended: with a complete HTTP reply, or because the other side left or the node broke the connection. */
type NodeOutcome = 'under-way' | 'complete' | 'closed-by-peer' | 'cut-by-node'

/** What a node saw of one request and did about it. Times are milliseconds since 1970 with a fraction. */
export interface NodeRecord {
  readonly number: number
  readonly method: string
  readonly path: string
  /** Names in lower case; a repeated header's values are joined by a comma. */
  readonly headers: Readonly<Record<string, string>>
  /** Empty until the whole body has arrived. */
  readonly body: string
  /** The nonce in the prompt, whether or not a script with this id answered. */
  readonly scriptId?: string
  /** Whether a script answered. */
  readonly scripted: boolean
  readonly fault?: FaultKind
  readonly arrivedAtMs: number
  /** Absent while no head has been written. */
  readonly status?: number
  /** Of the body, as handed to the connection. */
  readonly bytesWritten: number
  readonly chunksWritten: number
  /** When the other side closed before the reply was whole. */
  readonly closedByPeerAtMs?: number
  readonly endedAtMs?: number
  readonly outcome: NodeOutcome
}

/** A record while its request is under way. */
export type OpenRecord = { -readonly [K in keyof NodeRecord]: NodeRecord[K] }

export interface Records {
  begin(seen: Pick<NodeRecord, 'method' | 'path' | 'headers' | 'arrivedAtMs'>): OpenRecord
  /** Oldest first, as they are now; only those of this script id when one is given. */
  list(scriptId?: string): readonly NodeRecord[]
  clear(): void
}

const RECORDS_MAX = 10_000
/** The total length is limited too, because ten thousand long prompts would not fit in memory. */
const BODY_LENGTH_MAX = 256 * 1024 * 1024

/** Keeps the newest records. */
export function nodeRecords(): Records {
  let records: OpenRecord[] = []
  let number = 0
  return {
    begin(seen) {
      number += 1
      const record: OpenRecord = {
        number,
        ...seen,
        body: '',
        scripted: false,
        bytesWritten: 0,
        chunksWritten: 0,
        outcome: 'under-way',
      }
      records.push(record)
      // Trimmed in bulk, because taking one from the front of a long list costs its whole length.
      if (records.length > 1.1 * RECORDS_MAX) records = newest(records)
      return record
    },
    list: (scriptId) =>
      newest(records)
        .filter((record) => scriptId === undefined || record.scriptId === scriptId)
        .map((record) => ({ ...record })),
    clear() {
      records = []
    },
  }
}

function newest(records: readonly OpenRecord[]): OpenRecord[] {
  let length = 0
  const start = records.findLastIndex((record) => {
    length += record.body.length
    return length > BODY_LENGTH_MAX
  })
  return records.slice(Math.max(start + 1, records.length - RECORDS_MAX))
}
