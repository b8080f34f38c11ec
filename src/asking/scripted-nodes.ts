import type { CheckContext } from '../check/context.ts'
import { allowRefusalOfLimit } from '../check/refused-limit.ts'
import { eventually } from '../repeat/eventually.ts'
import { untilRight } from '../repeat/repeat.ts'
import { rules } from '../repeat/rules.ts'
import {
  type Answer,
  contentOf,
  finishReasonOf,
  hasErrorFrame,
  isStream,
  isSuccess,
  type StreamAnswer,
} from '../target/answer.ts'
import { type ChatBody, chatRequest, unstreamed } from '../target/chat.ts'
import type { NodeRecord, NodeScript } from '../target/nodes.ts'
import { outcome } from '../target/settle.ts'
import { Unsettled } from '../target/unsettled.ts'
import { type Played, playedSoFar } from './marked/played.ts'

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
 * minute.
 */
const atOnce = { patienceMs: 65_000, replyTokens: 0 } as const
const leastRecoveryMs = 1500
const recoveryPollMs = 50

/** Gives every node the same script, or each its own. */
export async function play(context: CheckContext, script: NodeScript | readonly NodeScript[]): Promise<Play> {
  const id = context.nonce()
  await context.nodes.script(id, script)
  return playOf(context, id, script, `Please follow assay-script-${id} now.`)
}

/** A gateway that another check has closed refuses a plain request as well: then nothing was learnt about this one. */
async function refuseIfClosed({ prepared, send }: CheckContext, answer: Answer): Promise<void> {
  if (prepared.model === undefined) return
  const plain = await send(chatRequest(prepared.model, unstreamed(prepared), { burst: true }))
  if (plain.status === 503) throw new Unsettled('target', `${outcome(answer)}, and so did a plain request beside it`)
}

function playOf(context: CheckContext, id: string, script: NodeScript | readonly NodeScript[], prompt: string): Play {
  const { nodes, send, sendStream, prepared } = context
  const bodyOf = (body: ChatBody): ChatBody => ({
    model: nodes.model,
    max_tokens: 4000,
    messages: [{ role: 'user', content: prompt }],
    ...unstreamed(prepared),
    ...body,
  })
  const scripts = [script].flat()
  const isWell = scripts.every(({ fault, status = 200 }) => fault === undefined && status < 300)
  const limits = scripts.some(({ status }) => status === 429)
  /** What may happen by chance: a limit unless a script sets one; a refusal or a cut only if the nodes answer well. */
  const isTemporary = (answer: Answer | StreamAnswer, isSingle: boolean): boolean =>
    answer.status === 429
      ? !limits
      : isWell &&
        isSingle &&
        (answer.status === 503 || isCutEarly(answer) || (isStream(answer) && hasErrorFrame(answer)))
  const persist = async <A extends Answer | StreamAnswer>(
    asked: ChatBody,
    ask: () => Promise<A>,
    isSingle: boolean,
    left: boolean,
  ): Promise<A> => {
    const played: Played = { id, scripts, asked, left }
    const all = await playedSoFar(context)
    all.push(played)
    let times = 0
    const isLast = (one: A): boolean => {
      times += 1
      return !isTemporary(one, isSingle) || (one.status !== 429 && times >= rules.scripted.times)
    }
    const answer = await untilRight(rules.scriptedLimit, ask, isLast)
    if (isWell && answer.status === 503) await refuseIfClosed(context, answer)
    played.answer = answer
    // A limit that was served before is no reason for a refusal.
    if (isWell && !all.some((one) => one !== played && isServed(one, asked))) allowRefusalOfLimit(answer, asked)
    return answer
  }
  return {
    id,
    prompt,
    reply(body = {}, burst) {
      const asked = bodyOf(body)
      const request = { ...chatRequest(nodes.model, asked), ...atOnce }
      const isSingle = burst === undefined
      return persist(asked, () => send({ ...request, ...(!isSingle && { burst }) }), isSingle, false)
    },
    stream(body = {}, leaveAfterContent, burst) {
      const asked = { ...bodyOf(body), stream: true }
      const request = { ...chatRequest(nodes.model, asked), ...atOnce }
      const reading = leaveAfterContent === undefined ? {} : { leaveAfterContent }
      // What several requests do to each other must not be hidden by asking again.
      const isSingle = burst === undefined
      return persist(
        asked,
        () => sendStream({ ...request, ...(!isSingle && { burst }) }, reading),
        isSingle,
        leaveAfterContent !== undefined,
      )
    },
    async seen() {
      const [first, ...rest] = await nodes.records(id)
      if (first === undefined) throw new Unsettled('target', 'the gateway did not ask our nodes')
      return [first, ...rest]
    },
  }
}

/** Whether the same limit was served. */
function isServed({ answer, asked: { max_tokens } }: Played, asked: ChatBody): boolean {
  return answer !== undefined && isSuccess(answer) && max_tokens === asked['max_tokens']
}

function isCutEarly({ status, exchange }: Answer): boolean {
  return status === undefined && exchange.ending === 'reset'
}

const wellScript: NodeScript = { fragments: ['Well', '.'] }

/** Requests that nodes answer well, by one script for the whole run. The prompt is new, so no cache knows the reply. */
async function playWell(context: CheckContext): Promise<Play> {
  const { nodes, nonce, once } = context
  const id = await once('a script that goes well', async () => {
    const made = nonce()
    await nodes.script(made, wellScript)
    return made
  })
  return playOf(context, id, wellScript, `Please follow assay-script-${id} now: ${nonce()}.`)
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
  const { nodes, target } = context
  // The records of a script that nobody else uses show which nodes have served it.
  const good = await (each ? play(context, wellScript) : playWell(context))
  const withinMs = Math.max(each ? leastRecoveryMs * 4 : leastRecoveryMs, target.config.settlingMs)
  const isReady = async (): Promise<boolean> => {
    if (!isSuccess(await good.reply())) return false
    return !each || new Set((await nodes.records(good.id)).map(({ node }) => node)).size === nodes.count
  }
  if (!(await eventually({ withinMs, everyMs: recoveryPollMs }, isReady, (ready) => ready)))
    throw new Unsettled('target', 'the gateway does not use all our nodes again after a failure')
  return play(context, script)
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
