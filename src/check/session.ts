import { randomUUID } from 'node:crypto'
import { type Answer, isSuccess } from '../target/answer.ts'
import { modelsPath } from '../target/chat.ts'
import type { Control } from '../target/control/control.ts'
import type { Nodes } from '../target/nodes.ts'
import type { Target } from '../target/target.ts'
import { Unsettled } from '../target/unsettled.ts'
import type { Exchange } from '../wire/transcript.ts'
import { createAsker } from './asker.ts'
import type { CheckContext } from './context.ts'
import { createExpect, incompleteness, mismatchOfIncomplete, type OnIncomplete } from './expect.ts'
import { type KeptExchanges, keepExchanges } from './kept/exchanges.ts'
import { createRawTalk } from './raw-talk.ts'
import type { Shared } from './shared.ts'
import { propertyOf } from './values/property.ts'
import { fewOf } from './values/telling-values.ts'

/** Thrown when the target has nothing that a check applies to. */
export class NotApplicable extends Error {
  override readonly name = 'NotApplicable'
}

/** Thrown when another check already says why this one cannot run. */
export class Blocked extends Error {
  override readonly name = 'Blocked'
  readonly by: string

  constructor(by: string) {
    super(`blocked by ${by}`)
    this.by = by
  }
}

/** One check's own view of the target: what it received and proved is kept apart from other checks. */
export interface Session {
  readonly context: CheckContext
  readonly exchanges: KeptExchanges
  proofs: number
  /** What was looked at, each once, as far as there is room. */
  readonly proved: Set<string>
  /** Undoes what the check changed through the control API; returns what could not be undone. */
  undo(): Promise<readonly string[]>
}

/** How many of the things that a check looked at its verdict names. */
const provedMax = 12

const everyThird = 3

/** How many values of a list a check tries; `id` is that of the check. */
function thriftOf({ randomness, prepared }: Shared, id: string | undefined): Pick<CheckContext, 'few' | 'fewServed'> {
  const telling = <T>(values: readonly T[]): readonly T[] => fewOf(id, values)
  if (randomness.isQuick === true) return { few: telling, fewServed: telling }
  return {
    few: (values) => values,
    fewServed: (values) => (prepared.isSlow === true ? values.filter((_, at) => at % everyThird === 0) : values),
  }
}

/** `id` is that of the check; the run's own session has none. */
export function createSession(shared: Shared, id?: string): Session {
  const { target, prepared, journal, redactor } = shared
  const exchanges = keepExchanges(shared.keepAll)
  const keep = <A extends Answer>(answer: A): A => {
    exchanges.add(answer.exchange)
    if (answer.status !== undefined && !isSuccess(answer)) journal.addRefusal(answer)
    return answer
  }
  const witness = ({ exchange }: Pick<Answer, 'exchange'>): void => exchanges.witness(exchange)
  const modelInUse = (): string => {
    if (prepared.model === undefined) throw new Blocked('models.names-a-model')
    return prepared.model
  }
  const once = <T>(key: string, make: () => Promise<T>): Promise<T> => oncePerRun(shared, key, make)
  const opened = openedOnDemand(target, exchanges.addAside)
  const session: Session = {
    exchanges,
    proofs: 0,
    proved: new Set(),
    undo: opened.undo,
    context: {
      target,
      prepared,
      samples: shared.samples,
      get model() {
        return modelInUse()
      },
      get control() {
        return opened.control()
      },
      get nodes() {
        return opened.nodes()
      },
      get sampler() {
        return shared.sampler()
      },
      expect: createExpect((what, shownBy) => {
        countProof(session, what)
        if (shownBy !== undefined) witness(shownBy)
      }, onIncompleteIn(shared)),
      ...createAsker(shared, modelInUse, keep),
      ...createRawTalk(shared, exchanges.add),
      modelList: async () =>
        keep(await once('the model list', () => shared.sampler().settled({ method: 'GET', path: modelsPath }))),
      once,
      witness,
      ...thriftOf(shared, id),
      property: propertyOf(shared.randomness, target.remainingMs),
      nonce: shared.nonce,
      secret(value, shape) {
        redactor.learn({ value, ...(shape !== undefined && { shape }) })
        return value
      },
      undecidable: (reason) => new Unsettled('text', reason),
      notApplicable: (reason) => new NotApplicable(reason),
    },
  }
  return session
}

/** Counts an expectation that held, and keeps what was looked at while there is room. */
function countProof(session: Session, what: string): void {
  session.proofs += 1
  if (session.proved.size < provedMax) session.proved.add(what)
}

/** What did not come whole is a failure only where it was confirmed. */
function onIncompleteIn({ confirmedIncomplete }: Shared): OnIncomplete {
  return (what, expected, exchange) => {
    if (confirmedIncomplete.has(exchange)) return mismatchOfIncomplete(what, expected, exchange)
    return new Unsettled('target', `${what}: ${incompleteness(exchange)}`)
  }
}

function oncePerRun<T>({ once }: Shared, key: string, make: () => Promise<T>): Promise<T> {
  const made = once.get(key) ?? make()
  once.set(key, made)
  // Only the module that makes a value uses its key, so the type is known.
  return made as Promise<T>
}

/** The control API and the nodes: opened when a check first uses them, and undone at its end. */
function openedOnDemand(target: Target, keep: (exchange: Exchange) => void) {
  let control: Control | undefined
  let nodes: Nodes | undefined
  return {
    control(): Control {
      control ??= target.control(keep)
      return control
    },
    nodes(): Nodes {
      nodes ??= target.nodes(keep)
      return nodes
    },
    undo: async () => [...((await control?.undo()) ?? []), ...((await nodes?.undo()) ?? [])],
  }
}

/** A word that occurs in no other prompt of the run. */
export function randomNonce(): string {
  return `n${randomUUID().replaceAll('-', '').slice(0, 10)}`
}

/** Finds what `randomNonce` makes anywhere in a text. */
export const noncePattern = /\bn[0-9a-f]{10}\b/g
