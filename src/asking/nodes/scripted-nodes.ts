import type { CheckContext } from '../../check/context.ts'
import { eventually } from '../../repeat/eventually.ts'
import { untilRight } from '../../repeat/repeat.ts'
import { rules } from '../../repeat/rules.ts'
import {
  type Answer,
  contentOf,
  finishReasonOf,
  hasErrorFrame,
  isClientError,
  isStream,
  isSuccess,
  type StreamAnswer,
} from '../../target/answer.ts'
import { type ChatBody, chatRequest, unstreamed } from '../../target/chat.ts'
import type { NodeRecord, NodeScript } from '../../target/nodes.ts'
import { allowRefusalOfLimit } from '../../target/refused-limit.ts'
import type { Request } from '../../target/request.ts'
import { outcome } from '../../target/settle.ts'
import { Unsettled } from '../../target/unsettled.ts'
import { type Played, playedSoFar } from '../marked/played.ts'
import { keepsOthersInReserve } from './in-reserve.ts'
import { isOut, onceOpen } from './once-open.ts'

/** A script on our nodes, and requests that follow it through the gateway. */
export interface Play {
  readonly id: string
  /** Follows the script; goes into the last user message. */
  readonly prompt: string
  /**
   * One request each. If the script makes the node fail, it is sent once: the check looks at what the gateway makes of
   * it. If the node answers well, a refusal that may be temporary is asked again.
   */
  reply(body?: ChatBody, burst?: true): Promise<Answer>
  stream(body?: ChatBody, leaveAfterContent?: number, burst?: true): Promise<StreamAnswer>
  /** What the nodes saw. Undecidable if they saw nothing, because then the gateway never asked them. */
  seen(): Promise<readonly [NodeRecord, ...NodeRecord[]]>
}

/**
 * Our nodes say at once what a script has them say, whatever limit is asked for: the pace of the first replies would have a run give
 * up such a request as too long. The patience is longer than any gateway needs to give up on a node: C7's 503 has to come within a
 * minute. A gateway may put each letter of a text into a chunk of its own.
 */
const atOnce = { patienceMs: 65_000, replyTokens: 0, replyBytesMax: 32 * 1024 * 1024 } as const

/** Nodes that answer well do so at once, so that a look at whether they are asked again need not wait for what hangs. */
const lookPatienceMs = 5000

/** A request whose reply our nodes bound, whatever its limit: whoever leaves it has left nothing that goes on for long. */
function playedRequest(model: string, body: ChatBody, isLook: boolean): Request {
  const { isUnbounded: _, ...request } = chatRequest(model, body)
  return { ...request, ...atOnce, ...(isLook && { patienceMs: lookPatienceMs }) }
}
const leastRecoveryMs = 1500
const recoveryPollMs = 100

/** Gives every node the same script, or each its own. */
export async function play(context: CheckContext, script: NodeScript | readonly NodeScript[]): Promise<Play> {
  const id = await scripted(context, script)
  return playOf(context, id, script, `Please follow assay-script-${id} now.`)
}

/** What a check does beside what it looks at: whatever comes is the answer, and it is not waited for for long. */
export async function playAside(context: CheckContext, script: NodeScript): Promise<Play> {
  const id = await scripted(context, script)
  return playOf(context, id, script, `Please follow assay-script-${id} now.`, true)
}

async function scripted({ nodes, nonce }: CheckContext, script: NodeScript | readonly NodeScript[]): Promise<string> {
  const id = nonce()
  await nodes.script(id, script)
  return id
}

/** Whoever gives our nodes a model that the gateway knows by another name is refused whatever the limit is. */
async function refuseUnknownModel({ nodes, once, prepared, send }: CheckContext): Promise<void> {
  const plain = await once('a plain request to our nodes', () => send(chatRequest(nodes.model, unstreamed(prepared))))
  if (isClientError(plain) && plain.status !== 429)
    throw new Unsettled(
      'target',
      `a plain request for ${nodes.model}, the model of our nodes, was answered with ${outcome(plain)}: --nodes HOST:PORT=MODEL takes the name that clients ask for`,
    )
}

/** Asks again what may have failed by chance, and keeps what came. */
function persistence(context: CheckContext, id: string, scripts: readonly NodeScript[], asIs: boolean) {
  const isWell = scripts.every(({ fault, status = 200 }) => fault === undefined && status < 300)
  const limits = scripts.some(({ status }) => status === 429)
  /** Whether that is odd: it is what a gateway says of a node that answers with a page or with nothing, or that is taken down. */
  const isOdd = (answer: Answer): boolean =>
    isOut(answer) && isWell && !asIs && !context.nodes.wereTakenDown && scripts.every(isReply)
  /** What may happen by chance: a limit unless a script sets one; a refusal or a cut only if the nodes answer well. */
  const isTemporary = (answer: Answer | StreamAnswer, isSingle: boolean): boolean =>
    answer.status === 429
      ? !limits
      : isWell &&
        isSingle &&
        (answer.status === 503 || isCutEarly(answer) || (isStream(answer) && hasErrorFrame(answer)))
  return async <A extends Answer | StreamAnswer>(
    asked: ChatBody,
    ask: (alone: boolean) => Promise<A>,
    isSingle: boolean,
    left: boolean,
  ): Promise<A> => {
    const played: Played = { id, scripts, asked, left }
    const all = await playedSoFar(context)
    all.push(played)
    let times = 0
    const isLast = (one: A): boolean => {
      times += 1
      return asIs || !isTemporary(one, isSingle) || (one.status !== 429 && times >= rules.scripted.times)
    }
    // Who has room for few requests at once refuses some of them, so the last repeat goes with nothing else in flight.
    const isAlone = (turn: number): boolean => isSingle && turn === rules.scripted.times - 1
    const first = await untilRight(rules.scriptedLimit, (turn) => ask(isAlone(turn)), isLast)
    const answer = isOdd(first) ? await onceOpen(context, first, isSingle ? () => ask(true) : undefined) : first
    played.answer = answer
    // A limit that was served before is no reason for a refusal.
    if (isWell && !all.some((one) => one !== played && isServed(one, asked))) {
      if (isClientError(answer) && answer.status !== 429) await refuseUnknownModel(context)
      allowRefusalOfLimit(answer, asked)
    }
    return answer
  }
}

/** With `asIs`, whatever comes is the answer: whoever asks until it goes well needs no repeats beside its own. */
function playOf(
  context: CheckContext,
  id: string,
  script: NodeScript | readonly NodeScript[],
  prompt: string,
  asIs = false,
): Play {
  const { nodes, send, sendStream, prepared } = context
  const bodyOf = (body: ChatBody): ChatBody => ({
    model: nodes.model,
    max_tokens: 4000,
    messages: [{ role: 'user', content: prompt }],
    ...unstreamed(prepared),
    ...body,
  })
  const persist = persistence(context, id, [script].flat(), asIs)
  return {
    id,
    prompt,
    reply(body = {}, burst) {
      const asked = bodyOf(body)
      const request = playedRequest(nodes.model, asked, asIs)
      const isSingle = burst === undefined
      return persist(
        asked,
        (alone) => send({ ...request, ...(!isSingle && { burst }), ...(alone && { alone }) }),
        isSingle,
        false,
      )
    },
    stream(body = {}, leaveAfterContent, burst) {
      const asked = { ...bodyOf(body), stream: true }
      const request = playedRequest(nodes.model, asked, asIs)
      const reading = leaveAfterContent === undefined ? {} : { leaveAfterContent }
      // What several requests do to each other must not be hidden by asking again.
      const isSingle = burst === undefined
      return persist(
        asked,
        (alone) => sendStream({ ...request, ...(!isSingle && { burst }), ...(alone && { alone }) }, reading),
        isSingle,
        leaveAfterContent !== undefined,
      )
    },
    async seen() {
      const [first, ...rest] = await nodes.records(id)
      if (first === undefined) throw new Unsettled('target', await whyNotAsked(context, id))
      return [first, ...rest]
    },
  }
}

/** Whether a node that follows the script sends a reply or a stream, and nothing else in its place. */
function isReply({ body }: NodeScript): boolean {
  return typeof body !== 'string' || body.startsWith('data:')
}

/** Whether the same limit was served. */
function isServed({ answer, asked: { max_tokens } }: Played, asked: ChatBody): boolean {
  return answer !== undefined && isSuccess(answer) && max_tokens === asked['max_tokens']
}

function isCutEarly({ status, exchange }: Answer): boolean {
  return status === undefined && exchange.ending === 'reset'
}

/** A gateway that refused the request itself had no reason to ask. */
async function whyNotAsked(context: CheckContext, id: string): Promise<string> {
  const answer = (await playedSoFar(context)).findLast((played) => played.id === id)?.answer
  const said = answer === undefined || isSuccess(answer) ? '' : `: it answered with ${outcome(answer)}`
  return `the gateway did not ask our nodes${said}`
}

const wellScript: NodeScript = { fragments: ['Well', '.'] }

/** Looks whether nodes answer well, by one script for the whole run. The prompt is new, so no cache knows the reply. */
async function lookForAny(context: CheckContext): Promise<() => Promise<boolean>> {
  const { once, nonce } = context
  const id = await once('a script that goes well', () => scripted(context, wellScript))
  const good = playOf(context, id, wellScript, `Please follow assay-script-${id} now: ${nonce()}.`, true)
  return async () => isSuccess(await good.reply())
}

/** The nodes that received these requests. */
function askedIn(records: readonly NodeRecord[]): ReadonlySet<number> {
  return new Set(records.map(({ node }) => node))
}

/**
 * Looks until every node has answered well: the records of a script that nobody else uses show it. After the first look several ask at
 * once, since one node may still be at work for nobody, and a gateway then gives a single request to another. A gateway that keeps
 * the others in reserve asks the first one each time; so does one that still rests the others, for a while.
 */
async function lookForEach(context: CheckContext): Promise<() => Promise<boolean>> {
  const { nodes } = context
  const id = await scripted(context, wellScript)
  const good = playOf(context, id, wellScript, `Please follow assay-script-${id} now.`, true)
  let atOnce = 1
  let servedInTurn = 0
  return async () => {
    const answers = await Promise.all(Array.from({ length: atOnce }, () => good.reply()))
    servedInTurn = answers.every(isSuccess) ? servedInTurn + answers.length : 0
    atOnce = nodes.count + 1
    const records = await nodes.records(id)
    const asked = askedIn(records)
    // One that rests by now was asked before.
    if (askedIn(records.slice(-answers.length)).size === nodes.count) return answers.some(isSuccess)
    const isFirstAskedEachTime = servedInTurn >= rules.firstNode.times && asked.size === 1 && asked.has(0)
    if (!isFirstAskedEachTime) return false
    const all = await nodes.scripted()
    // One that was never asked may be none of its nodes.
    return askedIn(all).size === nodes.count && keepsOthersInReserve(all)
  }
}

/**
 * A script that makes the nodes fail, or follows one that did. Gateways avoid a failed node for a while, so first a plain
 * request has to get through; if none does within the settling time, the check is undecided. With `each`, it waits
 * longer, until every node has served one.
 */
export async function playWhenReady(
  context: CheckContext,
  script: NodeScript | readonly NodeScript[],
  each = false,
): Promise<Play> {
  const isReady = await (each ? lookForEach(context) : lookForAny(context))
  const withinMs = Math.max(each ? leastRecoveryMs * 4 : leastRecoveryMs, context.target.config.settlingMs)
  if (!(await eventually({ withinMs, everyMs: recoveryPollMs }, isReady, (ready) => ready)))
    throw new Unsettled('target', await whyNotReady(context, withinMs, each))
  return play(context, script)
}

async function whyNotReady({ nodes }: CheckContext, withinMs: number, each: boolean): Promise<string> {
  const asked = each ? askedIn(await nodes.scripted()).size : nodes.count
  if (asked < nodes.count)
    return `the gateway has asked only ${asked} of our ${nodes.count} nodes so far: each must be one of ${nodes.model}`
  const used = each ? 'all our nodes' : 'our nodes'
  const within = `${Math.round(withinMs / 100) / 10} s`
  return `the gateway did not use ${used} again within ${within} of a failure: --settling S waits longer`
}

/** The text of a reply that must have come: a gateway that fails with a good node fails the check. */
export function textOf({ expect }: CheckContext, what: string, answer: Answer | StreamAnswer): string {
  expect(`status of ${what}`, answer.status, answer).isStatus('2xx')
  return isStream(answer) ? answer.content : (contentOf(answer) ?? '')
}

/** What tells a client that a stream broke off, such as an error event or a cut connection. */
export function signOfFailure(stream: StreamAnswer): string | undefined {
  if (!isSuccess(stream)) return `status ${stream.status ?? stream.exchange.ending}`
  if (hasErrorFrame(stream)) return 'an error event'
  // Every client throws on it.
  if (stream.chunks.some(({ json }) => json === undefined)) return 'an event that is no JSON'
  const reason = finishReasonOf(stream)
  if (reason !== undefined && reason !== 'stop' && reason !== 'length') return `finish_reason ${String(reason)}`
  if (stream.done) return undefined
  // A body that simply ends looks complete to every client that does not wait for the end marker.
  return stream.exchange.ending === 'complete' ? undefined : outcome(stream)
}

/** How many milliseconds the slowest of these took. */
export function slowestOf(answers: readonly Answer[]): number {
  return Math.round(Math.max(...answers.map(({ exchange }) => exchange.endedAtMs)))
}
