import { setTimeout as sleep } from 'node:timers/promises'
import { usageIn, withUsage } from '../../src/asking/billing.ts'
import { endingAfterLeaving } from '../../src/asking/nodes/leave-waiting.ts'
import { type Play, playWhenReady, signOfFailure, textOf } from '../../src/asking/nodes/scripted-nodes.ts'
import { clause, must, should } from '../../src/check/check.ts'
import type { CheckContext } from '../../src/check/context.ts'
import { at, numberAt } from '../../src/json.ts'
import { rules } from '../../src/repeat/rules.ts'
import { type Answer, isStream, isSuccess, type StreamAnswer } from '../../src/target/answer.ts'
import { type ChatBody, chatRequest } from '../../src/target/chat.ts'
import type { NodeRecord, NodeScript, Nodes } from '../../src/target/nodes.ts'

const fragments = ['One ', 'two ', 'three ', 'four.']
const good = { fragments }
const failing = { status: 500 }
const breaking: NodeScript = { fragments, timing: { firstToken: 1, gap: 5 }, fault: { kind: 'reset-mid-stream' } }

const long: NodeScript = {
  fragments: Array.from({ length: 400 }, (_, at) => `word${at} `),
  timing: { firstToken: 1, gap: 25 },
}
const cancelledWithinMs = 5000
/** Longer than anybody waits for the cancelling, and then over: who works on for nobody keeps a node from the next check. */
const silent: NodeScript = { fragments, timing: { firstToken: cancelledWithinMs + 500, gap: 1 } }
/** A gateway that takes a client that left for a node that failed asks the next one by then. */
const askedAgainWithinMs = 1000

const tale = 'The tide comes in and the tide goes out. '.repeat(40)
/** What a count may hold besides the text, and differ by. */
const hiddenTokensMax = 64

interface Turn {
  readonly answer: Answer | StreamAnswer
  /** What the nodes received for the request. */
  readonly tries: readonly NodeRecord[]
}

/** Asks with a unique prompt in each turn, which no cache knows. */
async function* turns(
  { nodes }: CheckContext,
  own: Play,
  mode: 'reply' | 'stream',
  bodyOf: (prompt: string) => ChatBody,
): AsyncGenerator<Turn> {
  for (let turn = 0; turn < rules.firstNode.times; turn += 1) {
    const prompt = `${own.prompt} Turn ${turn}.`
    const answer = await own[mode](bodyOf(prompt))
    yield { answer, tries: await triesOf(nodes, own, prompt) }
  }
}

async function triesOf(nodes: Nodes, own: Play, prompt: string): Promise<readonly NodeRecord[]> {
  return (await nodes.records(own.id)).filter(({ body }) => body.includes(prompt))
}

/** A request as a node received it, without what a gateway may change from one node to the next. */
function asked({ json }: NodeRecord): unknown {
  const { model: _, user: __, max_tokens, max_completion_tokens, ...rest } = Object(json) as Record<string, unknown>
  return { ...rest, max_tokens: max_tokens ?? max_completion_tokens }
}

function usageOf(answer: Answer | StreamAnswer): unknown {
  return isStream(answer) ? usageIn(answer) : at(answer.json, 'usage')
}

/** A reply has no head before it is whole, so its client leaves while the second node is at work. */
async function holdReplyCancelled(context: CheckContext): Promise<void> {
  const { nodes, expect, undecidable } = context
  const own = await playWhenReady(context, [failing, long], true)
  for (let turn = 0; turn < rules.firstNode.times; turn += 1) {
    const prompt = `${own.prompt} Reply ${turn}.`
    await endingAfterLeaving(context, { ...own, prompt })
    if ((await triesOf(nodes, own, prompt)).length < 2) {
      if (turn % 2 === 0) await context.send(chatRequest(nodes.model, {}))
      continue
    }
    await nodes.recordsWhen(own.id, cancelledWithinMs, (records) =>
      records.every(({ outcome }) => outcome !== 'under-way'),
    )
    const left = (await triesOf(nodes, own, prompt)).find(({ node }) => node % 2 === 1)
    expect('how a request for a reply ended at the second node', left?.outcome).is('closed-by-peer')
    return
  }
  throw undecidable('the gateway asked no second node when the first one failed')
}

/** What happens to a request whose first node failed. */
export const secondTries = clause('1', [
  must('relay.second-try-asks-the-same', {
    states: ['failover', 'parameters-reach-the-node'],
    needs: ['two-nodes'],
    dependsOn: ['relay.another-node-is-tried', 'relay.messages-unchanged', 'relay.max-tokens-unchanged'],
    phase: 'exclusive',
    cost: { requests: 50, tokens: 800 },
    wrong: 'A second node was asked something other than the first.',
    why: 'A body that the first try consumed reaches the second node without its beginning, and nobody can tell why the answer is odd.',
    fix: 'Build the request of each try from what the client sent.',
    async run(context) {
      for (const mode of ['reply', 'stream'] as const) {
        const own = await playWhenReady(context, [failing, good], true)
        const bodyOf = (prompt: string): ChatBody => ({
          messages: [
            { role: 'system', content: 'Answer briefly.' },
            { role: 'user', content: prompt },
          ],
          max_tokens: 77,
          stop: ['\u0001'],
          temperature: 0.3,
          top_p: 0.4,
        })
        let wasTriedAgain = false
        for await (const { tries } of turns(context, own, mode, bodyOf)) {
          const [first, second] = tries
          if (first === undefined || second === undefined) continue
          wasTriedAgain = true
          context.expect(`what the second node was asked (${mode})`, asked(second)).is(asked(first))
          break
        }
        if (!wasTriedAgain) throw context.undecidable('the gateway asked no second node when the first one failed')
      }
    },
  }),
  must('relay.second-try-is-counted-once', {
    states: ['prompt-tokens-counted', 'completion-tokens-counted'],
    needs: ['two-nodes'],
    dependsOn: ['relay.another-node-is-tried', 'relay.usage-of-its-own'],
    phase: 'exclusive',
    cost: { requests: 60, tokens: 6000 },
    wrong: 'A reply whose first node failed counts far more tokens than one that went well.',
    why: "A client must not be billed for the tries that failed: it sees one reply, and the gateway's nodes are not its doing.",
    fix: 'Count the prompt once per request, and of the completion what the reply holds.',
    async run(context) {
      let isCounted = false
      for (const mode of ['reply', 'stream'] as const) {
        // Long enough that a prompt counted twice cannot be a template of the model.
        const bodyOf = (prompt: string): ChatBody => ({
          messages: [{ role: 'user', content: tale + prompt }],
          // Only a stream has options of its own.
          ...(mode === 'stream' && withUsage),
        })
        const well = await playWhenReady(context, good, true)
        const once = usageOf(await well[mode](bodyOf(`${well.prompt} Turn 0.`)))
        if (once === undefined) continue
        const own = await playWhenReady(context, [failing, good], true)
        let wasTriedAgain = false
        for await (const { answer, tries } of turns(context, own, mode, bodyOf)) {
          if (tries.length < 2) continue
          wasTriedAgain = true
          for (const name of ['prompt_tokens', 'completion_tokens'] as const) {
            const most = Math.round((numberAt(once, name) ?? 0) * 1.5 + hiddenTokensMax)
            const count = numberAt(usageOf(answer), name)
            // A stream need not say what it used.
            if (count === undefined) continue
            isCounted = true
            context.expect(`${name} of a ${mode} whose first node failed`, count, answer).isAtMost(most)
          }
          break
        }
        if (!wasTriedAgain) throw context.undecidable('the gateway asked no second node when the first one failed')
      }
      if (!isCounted) throw context.undecidable('no reply says how many tokens it took')
    },
  }),
  must('relay.second-try-begins-anew', {
    states: ['failover', 'node-text-is-the-reply'],
    needs: ['two-nodes'],
    dependsOn: ['relay.another-node-is-tried', 'relay.broken-stream-shows', 'relay.broken-reply-is-no-reply'],
    phase: 'exclusive',
    cost: { requests: 50, tokens: 800 },
    wrong: 'After a node broke off, a client got neither a failure nor the whole text.',
    why: 'The words of a dead node followed by those of the next one are a reply that no model gave.',
    fix: 'Discard what a failed node sent, or report that the request failed.',
    async run(context) {
      for (const mode of ['reply', 'stream'] as const) {
        const own = await playWhenReady(context, [breaking, good], true)
        const bodyOf = (prompt: string): ChatBody => ({ messages: [{ role: 'user', content: prompt }] })
        let wasBroken = false
        for await (const { answer, tries } of turns(context, own, mode, bodyOf)) {
          const failed = isStream(answer) ? signOfFailure(answer) !== undefined : !isSuccess(answer)
          const result = failed ? 'a failure' : textOf(context, `a ${mode}`, answer)
          context
            .expect(`the text of a ${mode} while one of two nodes breaks off`, result, answer)
            .isOneOf(['a failure', fragments.join('')])
          wasBroken = tries.some(({ node }) => node % 2 === 0)
          if (wasBroken) break
        }
        if (!wasBroken) throw context.undecidable('the gateway never asked the node that breaks off')
      }
    },
  }),
  should('relay.second-try-left-is-cancelled', {
    states: ['left-work-stops'],
    needs: ['two-nodes'],
    dependsOn: ['relay.another-node-is-tried', 'relay.stream-left-is-cancelled'],
    sameCauseAs: ['relay.reply-left-is-cancelled'],
    phase: 'exclusive',
    cost: { requests: 80, tokens: 12_000 },
    wrong: 'A node that was asked as the second one was not told that the client had left.',
    why: 'A node that keeps writing for nobody is capacity that somebody else waits for.',
    fix: "Watch the client's connection in every try, not only in the first.",
    async run(context) {
      const { nodes, expect, undecidable } = context
      const own = await playWhenReady(context, [failing, long], true)
      for (let turn = 0; turn < rules.firstNode.times; turn += 1) {
        const prompt = `${own.prompt} Turn ${turn}.`
        const stream = await own.stream({ messages: [{ role: 'user', content: prompt }] }, 3)
        if ((await triesOf(nodes, own, prompt)).length < 2) {
          // Whoever asks the nodes in strict turn, and a plain request between two of these, would begin each at the good one.
          if (turn % 2 === 0) await context.send(chatRequest(nodes.model, {}))
          continue
        }
        if (stream.done || !isSuccess(stream)) throw undecidable('a long stream could not be left in its middle')
        await nodes.recordsWhen(own.id, cancelledWithinMs, (records) =>
          records.every(({ outcome }) => outcome !== 'under-way'),
        )
        // Both may have been asked in the same millisecond: the one that fails is the first of the nodes.
        const left = (await triesOf(nodes, own, prompt)).find(({ node }) => node % 2 === 1)
        expect('how the request ended at the second node', left?.outcome, stream).is('closed-by-peer')
        return await holdReplyCancelled(context)
      }
      throw undecidable('the gateway asked no second node when the first one failed')
    },
  }),
  should('relay.left-request-is-not-tried-again', {
    states: ['left-work-stops'],
    needs: ['two-nodes'],
    dependsOn: ['relay.another-node-is-tried', 'relay.reply-left-is-cancelled'],
    phase: 'exclusive',
    cost: { requests: 40, tokens: 1600 },
    wrong: 'When a client had left, another node was asked for it.',
    why: "A reply that nobody reads is made twice, and who pays for it is anybody's guess.",
    fix: 'Try another node when a node failed, and not when the client closed its connection.',
    async run(context) {
      for (const stream of [false, true]) {
        const own = await playWhenReady(context, silent, true)
        await endingAfterLeaving(context, own, { stream })
        await sleep(askedAgainWithinMs)
        const [first, ...others] = await own.seen()
        const leftAtMs = first.closedByPeerAtMs
        if (leftAtMs === undefined)
          throw context.undecidable('the node that was asked first was not told of the leaving')
        const late = others.filter(({ arrivedAtMs }) => arrivedAtMs >= leftAtMs)
        context.expect(`requests at the nodes after their client had left (stream: ${stream})`, late.length).is(0)
      }
    },
  }),
])
