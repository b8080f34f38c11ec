import { clause, must } from '../../src/check/check.ts'
import type { CheckContext } from '../../src/check/context.ts'
import { type Play, playWhenReady, signOfFailure, textOf } from '../../src/check/relay.ts'
import { type Answer, isStream, isSuccess, type StreamAnswer } from '../../src/target/answer.ts'
import type { NodeRecord, NodeScript } from '../../src/target/nodes.ts'

const fragments = ['One ', 'two ', 'three ', 'four.']
const good = { fragments }
const failing = { status: 500 }
const breaking: NodeScript = { fragments, timing: { firstToken: 1, gap: 5 }, fault: { kind: 'reset-mid-stream' } }
const turnsMax = 6

/** What the nodes saw of the requests with one prompt. */
async function triesOf({ nodes }: CheckContext, { id }: Play, prompt: string): Promise<readonly NodeRecord[]> {
  return (await nodes.records(id)).filter(({ body }) => body.includes(prompt))
}

/** A request as it was put to a node, without what a gateway may change from one node to the next. */
function asked({ json }: NodeRecord): unknown {
  const { model: _, user: __, ...rest } = Object(json) as Record<string, unknown>
  return rest
}

/** What becomes of a request whose first node failed. */
export const secondTries = clause('1', [
  must('relay.second-try-asks-the-same', {
    states: ['failover', 'parameters-reach-the-node'],
    needs: ['two-nodes'],
    dependsOn: ['relay.another-node-is-tried', 'relay.messages-unchanged', 'relay.max-tokens-unchanged'],
    phase: 'last',
    alone: true,
    cost: { requests: 16, tokens: 400 },
    why: 'A request that was used up by the first node reaches the second without its head, and nobody can tell why the answer is odd.',
    fix: 'Make the request of each try from what the client sent.',
    async run(context) {
      for (const mode of ['reply', 'stream'] as const) {
        const own = await playWhenReady(context, [failing, good], true)
        let tries: readonly NodeRecord[] = []
        for (let turn = 0; turn < turnsMax && tries.length < 2; turn += 1) {
          // A prompt of its own, which no cache knows.
          const prompt = `${own.prompt} Turn ${turn}.`
          const messages = [
            { role: 'system', content: 'Answer briefly.' },
            { role: 'user', content: prompt },
          ]
          await own[mode]({ messages, max_tokens: 77, stop: ['\u0001'], temperature: 0.3, top_p: 0.4 })
          tries = await triesOf(context, own, prompt)
        }
        const [first, second] = tries
        if (first === undefined || second === undefined)
          throw context.undecidable('the gateway asked no second node when the first one failed')
        context.expect(`what the second node was asked (${mode})`, asked(second)).is(asked(first))
      }
    },
  }),
  must('relay.second-try-begins-anew', {
    states: ['failover', 'node-text-is-the-reply'],
    needs: ['two-nodes'],
    dependsOn: ['relay.another-node-is-tried', 'relay.broken-stream-shows', 'relay.broken-reply-is-no-reply'],
    phase: 'last',
    alone: true,
    cost: { requests: 16, tokens: 400 },
    why: 'Words of a node that died in front of those of the next one are a reply that no model gave.',
    fix: 'Throw away what came of a node that failed, or say that the request failed.',
    async run(context) {
      for (const mode of ['reply', 'stream'] as const) {
        const own = await playWhenReady(context, [breaking, good], true)
        let broken = false
        for (let turn = 0; turn < turnsMax && !broken; turn += 1) {
          const prompt = `${own.prompt} Turn ${turn}.`
          const answer: Answer | StreamAnswer = await own[mode]({ messages: [{ role: 'user', content: prompt }] })
          broken = (await triesOf(context, own, prompt)).some(({ node }) => node % 2 === 0)
          const failed = isStream(answer) ? signOfFailure(answer) !== undefined : !isSuccess(answer)
          const said = failed ? 'a failure' : textOf(context, 'it', answer)
          context
            .expect(`what came of a ${mode} while one of two nodes breaks off`, said, answer)
            .isOneOf(['a failure', fragments.join('')])
        }
        if (!broken) throw context.undecidable('the gateway never asked the node that breaks off')
      }
    },
  }),
])
