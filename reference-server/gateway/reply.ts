import type { Clock } from '../clock.ts'
import type { FinishReason, Fragment, Fragments, Job } from '../network/node.ts'
import { NodeFailure, type NodeLimits } from '../network/node-failure.ts'
import { ClientLeft, modelUnavailable } from './gateway-error.ts'
import type { Model } from './models.ts'
import type { Call, Seams } from './seams.ts'

type Step = IteratorResult<Fragment, FinishReason>

/** A node's reply while it is read. */
export interface Reply {
  /**
   * How many completion tokens have come so far. No getter: in a literal it gives each object a hidden class of its own, which keeps
   * all of the request alive until a major collection.
   */
  completionTokens(): number
  /** The next step if the node has it ready; a fast node's tokens then cost no promise. Undefined says nothing: ask `next`. */
  takeReady(): Step | undefined
  next(): Promise<Step>
  /** Releases the node, whether or not its reply was read to the end. */
  close(): Promise<void>
}

/** How long a node may be silent, and by which clock. */
export interface ReplyWaits {
  readonly nodeLimits: NodeLimits
  readonly clock: Clock
}

/** One node at work on the request. */
interface Attempt extends Watch {
  readonly fragments: Fragments
}

/**
 * `next` throws `ClientLeft`, or `GatewayError` 503 when the node breaks off. A node that fails before its first word
 * is replaced by another one; each is tried once.
 */
export function startReply(seams: Seams, model: Model, job: Job, call: Call, { nodeLimits, clock }: ReplyWaits): Reply {
  let attempt: Attempt | undefined
  let completionTokens = 0
  let hasBegun = false
  let isWhole = false

  function begin(): Attempt {
    const node = seams.chooseNode(model, call)
    if (node === undefined) throw modelUnavailable()
    call.tried.add(node.id)
    call.isTaken = false
    const watch = watchOver(call, nodeLimits, clock)
    return { ...watch, fragments: seams.generate(node, job, watch.signal, call) }
  }

  function waitFor(one: Attempt): Promise<Step | undefined> {
    one.begin()
    return one.fragments.next().catch(() => undefined)
  }

  function taken(step: Step): Step {
    hasBegun = true
    isWhole = step.done === true
    if (!step.done) completionTokens += step.value.tokens
    return step
  }

  return {
    completionTokens: () => completionTokens,
    takeReady() {
      if (attempt === undefined || attempt.isSilent()) return undefined
      const step = attempt.fragments.takeReady?.()
      return step && taken(step)
    },
    async next() {
      for (;;) {
        attempt ??= begin()
        const step = attempt.fragments.takeReady?.() ?? (await waitFor(attempt))
        if (call.left.aborted) throw new ClientLeft()
        if (step !== undefined && (!step.done || !attempt.isSilent())) {
          attempt.heard()
          return taken(step)
        }
        attempt.end()
        attempt.leave()
        if (hasBegun) throw modelUnavailable()
        attempt = undefined
      }
    },
    async close() {
      attempt?.end()
      if (isWhole) return
      attempt?.leave()
      await attempt?.fragments.return('stop').catch(() => undefined)
    },
  }
}

interface Watch {
  readonly signal: AbortSignal
  /** The node is waited for from now on. One that has all of its reply ready is never watched. */
  begin(): void
  /** Notes that the node has said something: it is not waited for while its words are passed on. */
  heard(): void
  /** Ends the watch. */
  end(): void
  /** Ends the node's work if it is still going on. */
  leave(): void
  /** Whether the node was given up, by its silence or by the client's leaving. */
  isSilent(): boolean
}

/** Made once: a reason that a signal makes for itself costs a stack trace. */
const over = new DOMException('the request is over', 'AbortError')

/** Gives a node up when the client leaves or the node is silent for too long. One timer serves a whole reply. */
function watchOver(call: Call, { firstTokenMs, lateTokenMs, gapMs }: NodeLimits, clock: Clock): Watch {
  const { left } = call
  const giveUp = new AbortController()
  const leave = (): void => giveUp.abort(over)
  let hasSpoken = false
  let isWaiting = false
  let sinceMs = 0
  let cancel: (() => void) | undefined
  function look(): void {
    const firstMs = call.isTaken === true ? lateTokenMs : firstTokenMs
    const leftMs = isWaiting ? sinceMs + (hasSpoken ? gapMs : firstMs) - clock.nowMs() : gapMs
    // A first token may come meanwhile, and the limit after it is shorter.
    if (leftMs > 0) cancel = clock.after(Math.min(leftMs, gapMs), look)
    else giveUp.abort(new NodeFailure('silent', 'the node is silent'))
  }
  return {
    signal: giveUp.signal,
    begin() {
      isWaiting = true
      sinceMs = clock.nowMs()
      if (cancel !== undefined) return
      cancel = clock.after(Math.min(firstTokenMs, gapMs), look)
      left.addEventListener('abort', leave, { once: true })
      if (left.aborted) leave()
    },
    isSilent: () => giveUp.signal.aborted,
    heard() {
      hasSpoken = true
      isWaiting = false
    },
    end() {
      if (cancel === undefined) return
      cancel()
      left.removeEventListener('abort', leave)
    },
    leave,
  }
}
