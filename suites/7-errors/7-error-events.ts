import { playWhenReady, signOfFailure } from '../../src/asking/nodes/scripted-nodes.ts'
import { clause, should } from '../../src/check/check.ts'
import { at } from '../../src/json.ts'
import { isSuccess } from '../../src/target/answer.ts'
import type { NodeScript } from '../../src/target/nodes.ts'

const words: NodeScript = {
  fragments: ['One ', 'two ', 'three ', 'four ', 'five ', 'six.'],
  timing: { firstToken: 1, gap: 5 },
}

const endingWith = (...event: readonly string[]): NodeScript => ({
  ...words,
  wire: { done: true },
  fault: { kind: 'error-frame', afterChunks: 3, event },
})

const lastChunk = {
  id: 'n1',
  object: 'chat.completion.chunk',
  created: 1,
  model: 'm',
  choices: [{ index: 0, delta: { content: '' }, finish_reason: 'error' }],
  error: { code: 502, message: 'Provider disconnected' },
}

/** How servers say in a stream that it failed; each of them sends [DONE] all the same. */
const failures: Readonly<Record<string, NodeScript>> = {
  'an error that is a string': endingWith('data: {"error":"CUDA out of memory"}'),
  'an object that is an error': endingWith(
    'data: {"object":"error","message":"CUDA out of memory","type":"InternalServerError","code":500}',
  ),
  'a detail': endingWith('data: {"detail":"CUDA out of memory"}'),
  'an event named error': endingWith('event: error', 'data: {"message":"CUDA out of memory"}'),
  'an error beside the choices of a chunk': endingWith(`data: ${JSON.stringify(lastChunk)}`),
  'the finish reason error': { ...words, finishReason: 'error' },
}

/** What nodes send when they fail in the middle of a stream. */
export const errorEvents = clause('7', [
  should('relay.any-error-event-shows', {
    states: ['broken-streams-show', 'node-failures-are-no-replies'],
    needs: ['nodes'],
    dependsOn: ['relay.broken-stream-shows', 'relay.broken-reply-is-no-reply'],
    phase: 'exclusive',
    cost: { requests: 33, tokens: 1000 },
    wrong: "An error at the end of a node's stream was passed off as a complete answer.",
    why: "Each engine words its errors differently, and users act on half an answer when a gateway knows one engine's only.",
    fix: 'Take every event that is not a chunk, every `error` and the finish reason `error` for a failure, even if [DONE] follows.',
    async run(context) {
      for (const [what, script] of Object.entries(failures)) {
        const own = await playWhenReady(context, script)
        const stream = await own.stream()
        context
          .expect(`sign of failure in a stream whose node ended with ${what}`, signOfFailure(stream), stream)
          .satisfies('an error event, a finish reason, a cut, or a status', signOfFailure(stream) !== undefined)
        const reply = await own.reply()
        const reason = at(reply.json, 'choices', 0, 'finish_reason')
        context
          .expect(`finish_reason of a reply whose node ended with ${what}`, reason, reply)
          .satisfies('no success, or neither stop nor length', !isSuccess(reply) || !isUsualReason(reason))
      }
    },
  }),
])

function isUsualReason(reason: unknown): boolean {
  return reason === undefined || reason === 'stop' || reason === 'length'
}
