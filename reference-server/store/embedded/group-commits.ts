import type { Row } from '../rows.ts'
import { StoreUnavailable } from '../store.ts'
import type { Group, Outcome } from './sqlite-engine.ts'
import type { Statement } from './sqlite-sql.ts'

/** Groups of statements on their way to whoever carries them out. Groups that arrive during a commit share the next one. */
export interface GroupCommits {
  /** The rows of the group's last statement, once all of it is durable. */
  commit(...group: readonly Statement[]): Promise<readonly Row[]>
  /** What became of the groups that were sent last, in their order. */
  answered(outcomes: readonly Outcome[]): void
  /** From now on every group is refused, and those that wait are. */
  failed(failure: Error): void
  /** Nothing waits and nothing is under way. */
  isIdle(): boolean
}

interface Waiting {
  readonly group: Group
  readonly resolve: (rows: readonly Row[]) => void
  readonly reject: (error: Error) => void
}

/** `send` gets the groups of one commit; `later` calls once the groups of this moment have come. */
export function groupCommits(
  send: (groups: readonly Group[]) => void,
  later: (work: () => void) => unknown,
): GroupCommits {
  let waiting: Waiting[] = []
  let underWay: readonly Waiting[] = []
  let isScheduled = false
  let failure: Error | undefined

  const sendAll = (): void => {
    isScheduled = false
    if (underWay.length > 0 || waiting.length === 0) return
    underWay = waiting
    waiting = []
    send(underWay.map(({ group }) => group))
  }

  return {
    commit(...group) {
      if (failure !== undefined) return Promise.reject(failure)
      return new Promise((resolve, reject) => {
        waiting.push({ group, resolve, reject })
        if (isScheduled) return
        isScheduled = true
        later(sendAll)
      })
    },
    answered(outcomes) {
      const answered = underWay
      underWay = []
      sendAll()
      for (const [index, { resolve, reject }] of answered.entries()) settle(outcomes[index], resolve, reject)
    },
    failed(reason) {
      failure = reason
      for (const { reject } of [...underWay, ...waiting]) reject(reason)
      underWay = []
      waiting = []
    },
    isIdle: () => failure !== undefined || (underWay.length === 0 && waiting.length === 0),
  }
}

function settle(outcome: Outcome | undefined, resolve: Waiting['resolve'], reject: Waiting['reject']): void {
  try {
    resolve(rowsOf(outcome))
  } catch (error) {
    reject(error instanceof Error ? error : new Error(String(error)))
  }
}

function rowsOf(outcome: Outcome | undefined): readonly Row[] {
  if (outcome === undefined) throw new StoreUnavailable('the ledger gave no answer')
  if (!('error' in outcome)) return outcome.rows
  if (outcome.isBug) throw new Error(`the ledger refused: ${outcome.error}`)
  throw new StoreUnavailable(`the ledger cannot be written: ${outcome.error}`)
}
