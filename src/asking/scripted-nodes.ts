import type { CheckContext } from '../check/context.ts'
import { allowRefusalOfLimit } from '../check/refused-limit.ts'
import { eventually } from '../repeat/eventually.ts'
import { untilRight } from '../repeat/repeat.ts'
import { rules } from '../repeat/rules.ts'
import { type Answer, contentOf, hasErrorFrame, isStream, isSuccess, type StreamAnswer } from '../target/answer.ts'
import { type ChatBody, chatRequest } from '../target/chat.ts'
import type { NodeRecord, NodeScript } from '../target/nodes.ts'
import { outcome } from '../target/settle.ts'
import { Unsettled } from '../target/unsettled.ts'

/** A script on our nodes, and requests that follow it through the gateway. */
export interface Play {
  readonly id: string
  /** Follows the script; goes into the last user message. */
  readonly prompt: string
  /**
   * One request each. Where the script makes the node fail, it is sent once: what the gateway makes of it is what is
   * looked at. Where the node does as it should, a refusal that may be passing is asked again.
   */
  reply(body?: ChatBody, burst?: true): Promise<Answer>
  stream(body?: ChatBody, leaveAfterContent?: number, burst?: true): Promise<StreamAnswer>
  /** What the nodes saw. Undecidable when they saw nothing: then the gateway never asked them. */
  seen(): Promise<readonly [NodeRecord, ...NodeRecord[]]>
}

/** Longer than any gateway needs to give up a node: C7's 503 has to come within a minute. */
const patienceMs = 65_000
const leastRecoveryMs = 1500
const recoveryPollMs = 50

/** Puts a script on every node, or one on each. */
export async function play(context: CheckContext, script: NodeScript | readonly NodeScript[]): Promise<Play> {
  const id = context.nonce()
  await context.nodes.script(id, script)
  return playOf(context, id, script, `Please follow assay-script-${id} now.`)
}

function playOf(
  { nodes, send, sendStream }: CheckContext,
  id: string,
  script: NodeScript | readonly NodeScript[],
  prompt: string,
): Play {
  const bodyOf = (body: ChatBody): ChatBody => ({
    model: nodes.model,
    max_tokens: 4000,
    messages: [{ role: 'user', content: prompt }],
    ...body,
  })
  const scripts = [script].flat()
  const isWell = scripts.every(({ fault, status = 200 }) => fault === undefined && status < 300)
  const limits = scripts.some(({ status }) => status === 429)
  /** What networks do at times: a limit wherever no script speaks of one, a refusal or a cut only where nodes are well. */
  const isPassing = (answer: Answer | StreamAnswer, alone: boolean): boolean =>
    answer.status === 429
      ? !limits
      : isWell && alone && (answer.status === 503 || isCutEarly(answer) || (isStream(answer) && hasErrorFrame(answer)))
  const persist = async <A extends Answer | StreamAnswer>(
    asked: ChatBody,
    ask: () => Promise<A>,
    alone = true,
  ): Promise<A> => {
    let times = 0
    const isLast = (one: A): boolean => {
      times += 1
      return !isPassing(one, alone) || (one.status !== 429 && times >= rules.scripted.times)
    }
    const answer = await untilRight(rules.scriptedLimit, ask, isLast)
    if (isWell) allowRefusalOfLimit(answer, asked)
    return answer
  }
  return {
    id,
    prompt,
    reply(body = {}, burst) {
      const asked = bodyOf(body)
      const request = { ...chatRequest(nodes.model, asked), patienceMs }
      const alone = burst === undefined
      return persist(asked, () => send({ ...request, ...(!alone && { burst }) }), alone)
    },
    stream(body = {}, leaveAfterContent, burst) {
      const asked = { ...bodyOf(body), stream: true }
      const request = { ...chatRequest(nodes.model, asked), patienceMs }
      const reading = leaveAfterContent === undefined ? {} : { leaveAfterContent }
      // What several do to each other must not be mended by asking again.
      const alone = burst === undefined
      return persist(asked, () => sendStream({ ...request, ...(!alone && { burst }) }, reading), alone)
    },
    async seen() {
      const [first, ...rest] = await nodes.records(id)
      if (first === undefined) throw new Unsettled('target', 'the gateway did not ask our nodes')
      return [first, ...rest]
    },
  }
}

function isCutEarly({ status, exchange }: Answer): boolean {
  return status === undefined && exchange.ending === 'reset'
}

const wellScript: NodeScript = { fragments: ['Well', '.'] }

/** Requests that nodes answer well, by a script that serves the whole run. The prompt is new, so no cache knows the reply. */
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
 * A script that makes the nodes fail, or comes behind one that did. Gateways leave a node that failed alone for a
 * while, so before each of these a plain request has to go through; where it does not within the settling time, nothing can be said. With `each`, it
 * waits longer, until every node has served one.
 */
export async function playWhenReady(
  context: CheckContext,
  script: NodeScript | readonly NodeScript[],
  each = false,
): Promise<Play> {
  const { nodes, target } = context
  // Which nodes have served it shows in the records of a script that nobody else follows.
  const good = await (each ? play(context, wellScript) : playWell(context))
  const withinMs = Math.max(each ? leastRecoveryMs * 4 : leastRecoveryMs, target.config.settlingMs)
  const isReady = async (): Promise<boolean> => {
    if (!isSuccess(await good.reply())) return false
    return !each || new Set((await nodes.records(good.id)).map(({ node }) => node)).size === nodes.count
  }
  if (!(await eventually({ withinMs, everyMs: recoveryPollMs }, isReady, (ready) => ready)))
    throw new Unsettled('target', 'the gateway does not serve all of our nodes again after a failure')
  return play(context, script)
}

/** A reply that must have come; a gateway that failed on a good node has departed. */
export function textOf({ expect }: CheckContext, what: string, answer: Answer | StreamAnswer): string {
  expect(`status of ${what}`, answer.status, answer).satisfies('a 2xx', isSuccess(answer))
  return isStream(answer) ? answer.content : (contentOf(answer) ?? '')
}

/** What tells a client that a stream broke off: an error event, or an end without the end marker. */
export function signOfFailure(stream: StreamAnswer): string | undefined {
  if (!isSuccess(stream)) return `status ${stream.status ?? stream.exchange.ending}`
  if (hasErrorFrame(stream)) return 'an error event'
  if (stream.done) return undefined
  // A body that simply ends looks whole to every client that does not wait for the end marker.
  return stream.exchange.ending === 'complete' ? undefined : outcome(stream)
}

/** Milliseconds that the slowest of these took. */
export function slowestOf(answers: readonly Answer[]): number {
  return Math.round(Math.max(...answers.map(({ exchange }) => exchange.endedAtMs)))
}
