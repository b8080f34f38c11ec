import type { Call, Wrap } from '../../reference-server/gateway/seams.ts'
import { contentTypeOf, type RawReply } from '../../reference-server/network/node.ts'
import { NodeFailure } from '../../reference-server/network/node-failure.ts'
import { decode } from '../wraps/node-body.ts'
import { isRelayed, isRelayedCall, type Words } from '../wraps/relay.ts'
import type { Watch } from './watch.ts'

/** What a node did when it failed. */
export interface Failed {
  /** Absent when it closed before its head. */
  readonly status?: number
  readonly contentType: string
  readonly error: NodeFailure
  /** The last bytes that it sent. */
  readonly tail: Uint8Array
  readonly fragments: number
}

/** What a gateway does with a failure instead of reporting it. */
export interface Misdeed {
  /** The words that it gives for the rest of the reply; a node's own failure is thrown on if there are none. */
  readonly words?: (failed: Failed, again: () => Words) => Words
  /** The answer that it gives for that of an honest gateway. */
  readonly answer?: (honest: Answer, failed: Failed) => Answer
  /** Whether it ends a stream without a word. */
  readonly isSilent?: true
}

type Answer = { readonly status: number; readonly headers: Readonly<Record<string, string>>; readonly body: unknown }

/** A reply while it is read. */
interface Seen {
  readonly status: number
  readonly contentType: string
  tail: Uint8Array
}

/** A gateway that misbehaves at failures of a form, whenever the watch says so. */
export function misbehavingAt(isForm: (failed: Failed) => boolean, misdeed: Misdeed): (watch: Watch) => Wrap {
  return (watch) => {
    const raw = new WeakMap<Call, Seen>()
    const failures = new WeakMap<Call, Failed>()
    return {
      readReply: (real) => (reply, call) => {
        if (!isRelayedCall(call)) return real(reply, call)
        const seen: Seen = { status: reply.status, contentType: contentTypeOf(reply), tail: new Uint8Array() }
        raw.set(call, seen)
        return real({ ...reply, body: noting(reply, (bytes) => (seen.tail = bytes)) }, call)
      },
      generate: (real) => (node, job, signal, call) => {
        const begin = () => real(node, job, signal, call)
        if (!isRelayed(job)) return begin()
        raw.delete(call)
        return misled(begin(), (error, fragments) => {
          const failed = { contentType: '', tail: new Uint8Array(), ...raw.get(call), error, fragments }
          if (call.left.aborted || !isForm(failed) || !watch.holds(call, { index: fragments, isLast: true }))
            throw error
          failures.set(call, failed)
          if (misdeed.words === undefined) throw error
          return misdeed.words(failed, begin)
        })
      },
      errorAnswer: (real) => (error, call) => {
        const failed = failures.get(call)
        const honest = real(error, call)
        return failed === undefined || misdeed.answer === undefined
          ? honest
          : { ...honest, ...misdeed.answer(honest, failed) }
      },
      frame: (real) => (data, call) =>
        misdeed.isSilent === true && failures.has(call) && data.startsWith('{"error"') ? '' : real(data, call),
    }
  }
}

/** Words of a node until it fails, and then what comes instead. */
async function* misled(words: Words, instead: (error: NodeFailure, fragments: number) => Words): Words {
  let fragments = 0
  try {
    for (;;) {
      const step = await words.next()
      if (step.done) return step.value
      fragments += 1
      yield step.value
    }
  } catch (error) {
    if (!(error instanceof NodeFailure)) throw error
    return yield* instead(error, fragments)
  } finally {
    await words.return('stop')
  }
}

async function* noting(reply: RawReply, note: (bytes: Uint8Array) => void) {
  for await (const bytes of reply.body) {
    note(bytes)
    yield bytes
  }
}

/** Nothing more: the reply looks whole. */
export async function* noWords(): Words {
  yield* []
  return 'stop'
}

/** What the node sent, as if it were the reply. */
export async function* wordsOfTheError({ tail, error }: Failed): Words {
  yield { text: tail.length > 0 ? decode(tail) : error.message, tokens: 1 }
  return 'stop'
}
