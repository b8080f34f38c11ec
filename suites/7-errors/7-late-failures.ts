import { endingAfterLeaving } from '../../src/asking/nodes/leave-waiting.ts'
import { playWhenReady, signOfFailure } from '../../src/asking/nodes/scripted-nodes.ts'
import { clause, must, should } from '../../src/check/check.ts'
import { type Answer, isSuccess, type StreamAnswer } from '../../src/target/answer.ts'
import type { NodeScript } from '../../src/target/nodes.ts'
import { outcome } from '../../src/target/settle.ts'

/** Statuses that the checks of each single failure do not ask for. */
const statuses = [400, 408, 409, 413, 422, 502, 504]

/** Where only the operator of a node should look. */
const address = '10.9.8.7:9101'

const page: NodeScript = { headers: { 'content-type': 'text/html' }, body: `<html>Welcome to ${address}</html>` }

/** Words that hold letters of several bytes, so that a stream can break inside one. */
const fragments = Array.from({ length: 70 }, (_, at) => `Größe${at} `)

/** How a node breaks off once its words have begun. */
const breaks = ['reset-mid-stream', 'close-inside-character', 'end-mid-stream', 'error-frame', 'broken-json']

/** After how many fragments: the first, a handful, and more than most buffers hold back. */
const progress = [1, 8, 50]

/** Failures of every form, and at every stage of a reply. */
export const lateFailures = clause('7', [
  must('relay.any-status-is-no-reply', {
    states: ['node-failures-are-no-replies'],
    needs: ['nodes'],
    dependsOn: ['relay.early-failure-is-no-reply'],
    phase: 'exclusive',
    cost: { requests: 64, tokens: 1600 },
    wrong: "A node's error status was passed off as a success.",
    why: 'A list of known error codes lets the others through, as empty replies that clients take for answers.',
    fix: 'Take only a 2xx of a node for a reply.',
    async run(context) {
      for (const status of statuses) {
        const own = await playWhenReady(context, { status })
        const reply = await own.reply()
        context
          .expect(`status when the node answers with ${status}`, reply.status, reply)
          .satisfies('no 2xx', !isSuccess(reply))
        const stream = await (await playWhenReady(context, { status })).stream()
        context
          .expect(`sign of failure in a stream when the node answers with ${status}`, signOfFailure(stream), stream)
          .satisfies('a status, an error event or a cut', signOfFailure(stream) !== undefined)
      }
    },
  }),
  should('relay.any-status-hides-the-node', {
    states: ['node-details-hidden'],
    needs: ['nodes'],
    dependsOn: ['relay.failure-hides-the-node'],
    phase: 'exclusive',
    cost: { requests: 110, tokens: 2800 },
    wrong: "An answer to a node's failure names the node's address.",
    why: 'Node operators are attacked at addresses that error messages give away.',
    fix: 'Say that the model is unavailable whatever the status of the node is, and log the rest.',
    async run(context) {
      const body = { error: { message: `refused by ${address}` } }
      const refusals = [401, 403, 404, 429, 500, 503, ...statuses].map(
        (status) => [`${status}`, { status, body }] as const,
      )
      for (const [failure, script] of [...refusals, ['page', page] as const]) {
        for (const mode of ['reply', 'stream'] as const) {
          const own = await playWhenReady(context, script)
          const answer: Answer = await own[mode]()
          const what = `whether the ${mode} after a ${failure} of a node names its address`
          context.expect(what, answer.text.includes(address), answer).is(false)
        }
      }
    },
  }),
  must('relay.late-failure-shows', {
    states: ['broken-streams-show', 'node-failures-are-no-replies', 'fragments-make-the-reply'],
    needs: ['nodes'],
    dependsOn: [
      'relay.broken-stream-shows',
      'relay.broken-reply-is-no-reply',
      'relay.broken-stream-is-not-begun-again',
    ],
    phase: 'exclusive',
    cost: { requests: 60, tokens: 9000 },
    wrong: 'A reply whose node broke off somewhere looks complete, or has a wrong text.',
    why: 'Users act on half an answer that looks complete, however much of it had come.',
    fix: 'Report a broken reply wherever it breaks: after its first word, in the middle, or inside a character.',
    async run(context) {
      for (const kind of breaks) {
        for (const afterChunks of progress) {
          const script: NodeScript = {
            fragments,
            timing: { firstToken: 1, gap: afterChunks === 1 ? 10 : 1 },
            fault: { kind, afterChunks },
          }
          const where = `broke after ${afterChunks} fragments (${kind})`
          const own = await playWhenReady(context, script)
          const reply = await own.reply()
          context
            .expect(`status of a reply whose node ${where}`, reply.status, reply)
            .satisfies('no 2xx', !isSuccess(reply))
          const stream = await (await playWhenReady(context, script)).stream()
          context
            .expect(`sign of failure in a stream whose node ${where}`, signOfFailure(stream), stream)
            .satisfies('an error event, a cut, or a status', signOfFailure(stream) !== undefined)
          context
            .expect(`the text of a stream whose node ${where}`, stream.content, stream)
            .satisfies('a beginning of the text', isBeginning(stream, fragments.join('')))
        }
      }
    },
  }),
  should('relay.stream-left-anywhere', {
    states: ['left-work-stops'],
    needs: ['nodes'],
    dependsOn: ['relay.stream-left-is-cancelled'],
    // Before its first word a stream is like a reply: whoever does not watch the one client does not watch the other.
    sameCauseAs: ['relay.reply-left-is-cancelled'],
    phase: 'exclusive',
    cost: { requests: 16, tokens: 4200 },
    wrong: 'A node was not told that the client of its stream had left, early or late.',
    why: 'A node that keeps writing for nobody is capacity that somebody else waits for.',
    fix: "Watch the client's connection from the first byte of the request to the last of the reply.",
    async run(context) {
      const long = {
        fragments: Array.from({ length: 1500 }, (_, at) => `word${at} `),
        timing: { firstToken: 20, gap: 10 },
      }
      const plays = await Promise.all(
        progress.map(async (fragmentsRead) => ({ fragmentsRead, own: await playWhenReady(context, long) })),
      )
      await Promise.all(
        plays.map(async ({ fragmentsRead, own }) => {
          const stream = await own.stream({}, fragmentsRead, true)
          if (!isSuccess(stream)) throw context.undecidable(`a long stream was answered with ${outcome(stream)}`)
          if (stream.done) throw context.undecidable('a long stream ended before it could be left')
          const seen = await context.nodes.recordsWhen(own.id, noticedWithinMs, (records) =>
            records.some(({ outcome }) => outcome !== 'under-way'),
          )
          context
            .expect(
              `how the request of a client that left after ${fragmentsRead} fragments ended at the node`,
              seen[0]?.outcome,
              stream,
            )
            .is('closed-by-peer')
        }),
      )
      const silent = await playWhenReady(context, { fragments, timing: { firstToken: 20_000, gap: 1 } })
      context
        .expect(
          'how the request of a client that left before the first fragment ended at the node',
          await endingAfterLeaving(context, silent, { stream: true }),
        )
        .is('closed-by-peer')
    },
  }),
])

const noticedWithinMs = 5000

/** Whether what came is how the text begins; a character that broke may end it. */
function isBeginning({ content }: StreamAnswer, text: string): boolean {
  return text.startsWith(content.replace(/\ufffd+$/, ''))
}
