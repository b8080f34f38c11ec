import { playWhenReady, signOfFailure } from '../../src/asking/nodes/scripted-nodes.ts'
import { clause, must, open, should } from '../../src/check/check.ts'
import type { CheckContext } from '../../src/check/context.ts'
import { type Answer, isClientError, isSuccess } from '../../src/target/answer.ts'
import type { NodeScript } from '../../src/target/nodes.ts'

const fragments = ['One ', 'two ', 'three ', 'four ', 'five ', 'six.']

/** Failures of a node before the first word of its reply. */
const early: Readonly<Record<string, NodeScript>> = {
  'a 500': { status: 500, body: { error: { message: 'CUDA error at 10.9.8.7:9101' } } },
  'a 503': { status: 503, headers: { 'x-served-by': '10.9.8.7:9101', 'set-cookie': 'node=10.9.8.7' } },
  'a 429': { status: 429 },
  'a 404 for the model': { status: 404, body: { error: { message: 'no such model at 10.9.8.7:9101' } } },
  'a 401': { status: 401 },
  'a 403': { status: 403 },
  'a page of HTML': {
    status: 200,
    headers: { 'content-type': 'text/html' },
    body: '<html>Welcome to 10.9.8.7:9101</html>',
  },
  'an empty body': { status: 200, headers: { 'content-type': 'application/json' }, body: '' },
  'an error under 200': { fault: { kind: 'in-band-error', error: { message: 'out of memory at 10.9.8.7:9101' } } },
  'a cut connection': { fault: { kind: 'reset-before-head' } },
}

const redirect: NodeScript = { status: 307, headers: { location: 'http://127.0.0.1:9/v1/chat/completions' } }

const cutInMidStream: NodeScript = {
  fragments,
  timing: { firstToken: 1, gap: 5 },
  fault: { kind: 'reset-mid-stream', afterChunks: 3 },
}

/** Failures of a node in the middle of a stream. */
const late: Readonly<Record<string, NodeScript>> = {
  'a cut connection': cutInMidStream,
  'an end without a finish': {
    fragments,
    timing: { firstToken: 1, gap: 5 },
    fault: { kind: 'end-mid-stream', afterChunks: 3 },
  },
  'an error event': { fragments, timing: { firstToken: 1, gap: 5 }, fault: { kind: 'error-frame', afterChunks: 3 } },
  'an error event before [DONE]': {
    fragments,
    timing: { firstToken: 1, gap: 5 },
    wire: { done: true },
    fault: { kind: 'error-frame', afterChunks: 3 },
  },
  'a cut inside an event': {
    fragments,
    timing: { firstToken: 1, gap: 5 },
    fault: { kind: 'truncated-json', afterChunks: 3 },
  },
  'a chunk that is not JSON': {
    fragments,
    timing: { firstToken: 1, gap: 5 },
    fault: { kind: 'broken-json', afterChunks: 3 },
  },
}

/** No answer of the gateway may name what only the node's operator should see. */
function expectHidden({ expect }: CheckContext, what: string, answer: Answer): void {
  const names = /10\.9\.8\.7|ECONN|node:internal|\bat .*\.(js|ts|py):\d+|Traceback|127\.0\.0\.1:\d+/.exec(answer.text)
  expect(`node internals in the answer to ${what}`, names?.[0], answer).is(undefined)
  const header = answer.exchange.head?.headers.find(([, value]) => /10\.9\.8\.7|127\.0\.0\.1:9\//.test(value))
  expect(`a header that names the node in the answer to ${what}`, header?.[0], answer).is(undefined)
}

export const nodeFailures = clause('7', [
  must('relay.early-failure-is-no-reply', {
    states: ['node-failures-are-no-replies'],
    needs: ['nodes'],
    dependsOn: ['relay.reply-text-exact'],
    phase: 'exclusive',
    cost: { requests: 96, tokens: 2000 },
    wrong: 'A node that failed before its first word was passed off as a success.',
    why: "Clients take an empty 200 for a failed node as the model's answer, and pay for it.",
    fix: "Wait for the node's first word before sending the status, and answer its failures with a 5xx.",
    async run(context) {
      for (const [what, script] of Object.entries(early)) {
        const own = await playWhenReady(context, script)
        const reply = await own.reply()
        context
          .expect(`status when the node answers with ${what}`, reply.status, reply)
          .satisfies('no 2xx', !isSuccess(reply))
        // A gateway may avoid a failed node for a while: then the stream would meet another failure.
        const stream = await (await playWhenReady(context, script)).stream()
        context
          .expect(`sign of failure in a stream when the node answers with ${what}`, signOfFailure(stream), stream)
          .satisfies('a status, an error event or a cut', signOfFailure(stream) !== undefined)
      }
    },
  }),
  should('relay.early-failure-blames-no-client', {
    states: ['client-errors-are-4xx'],
    needs: ['nodes'],
    dependsOn: ['relay.early-failure-is-no-reply'],
    phase: 'exclusive',
    cost: { requests: 64, tokens: 1080 },
    wrong: "A node's failure was answered with a status below 500.",
    why: "A client changes its own key when it is told of the node's wrong one.",
    fix: "Answer the node's 401, 403 and 404 with a 5xx, because the client did nothing wrong.",
    async run(context) {
      for (const what of ['a 401', 'a 403', 'a 404 for the model', 'a 500', 'a cut connection', 'a page of HTML']) {
        const own = await playWhenReady(context, early[what] ?? {})
        const answer = await own.reply()
        context
          .expect(`status when the node answers with ${what}`, answer.status, answer)
          .satisfies('a 5xx', (answer.status ?? 0) >= 500)
        const stream = await (await playWhenReady(context, early[what] ?? {})).stream()
        context
          .expect(
            `whether a stream blames the client when the node answers with ${what}`,
            isClientError(stream),
            stream,
          )
          .is(false)
      }
    },
  }),
  should('relay.failure-hides-the-node', {
    states: ['node-details-hidden'],
    needs: ['nodes'],
    dependsOn: ['relay.reply-text-exact'],
    phase: 'exclusive',
    cost: { requests: 84, tokens: 900 },
    wrong: "An answer to a node's failure shows internals of the node.",
    why: 'Node operators are attacked at addresses that error messages give away.',
    fix: 'Say that the model is unavailable, and log the rest.',
    async run(context) {
      for (const [what, script] of Object.entries({ ...early, 'a redirect': redirect })) {
        const own = await playWhenReady(context, script)
        expectHidden(context, what, await own.reply())
      }
      // Before its first text a stream may still be answered like a reply.
      for (const [what, afterChunks] of Object.entries({ 'an error event': 2, 'an error event before any text': 0 })) {
        const own = await playWhenReady(context, {
          fragments,
          fault: { kind: 'error-frame', afterChunks, error: { message: 'out of memory at 10.9.8.7:9101' } },
        })
        expectHidden(context, what, await own.stream())
      }
      expectHidden(context, 'a cut in mid-stream', await (await playWhenReady(context, cutInMidStream)).stream())
      const refused = await playWhenReady(context, { fragments })
      await context.nodes.setState('refuse')
      expectHidden(context, 'a refused connection', await refused.reply())
      await context.nodes.setState('up')
    },
  }),
  must('relay.broken-stream-shows', {
    states: ['broken-streams-show'],
    needs: ['nodes'],
    dependsOn: ['relay.stream-text-exact'],
    phase: 'exclusive',
    cost: { requests: 12, tokens: 700 },
    wrong: 'A stream whose node broke off looks complete.',
    why: 'Users act on half an answer that looks complete.',
    fix: 'End a broken stream with an error event, or cut it: an end in good order looks complete, with the end marker and without.',
    async run(context) {
      for (const [what, script] of Object.entries(late)) {
        const own = await playWhenReady(context, script)
        const stream = await own.stream()
        context
          .expect(`sign of failure in a stream that broke by ${what}`, signOfFailure(stream), stream)
          .satisfies('an error event, a cut, or a status', signOfFailure(stream) !== undefined)
      }
    },
  }),
  should('relay.broken-event-is-not-sent', {
    states: ['events-are-chunks'],
    needs: ['nodes'],
    dependsOn: ['relay.stream-text-exact'],
    phase: 'exclusive',
    cost: { requests: 4, tokens: 300 },
    wrong: 'A client got an event that is no JSON from a node that broke off inside one, or sent one.',
    why: 'Clients throw an error of their parser, which tells nobody what happened.',
    fix: 'Read an event whole before it is passed on, send only JSON as data, and begin an error event on a line of its own.',
    async run(context) {
      let begun = 0
      for (const what of ['a cut inside an event', 'a chunk that is not JSON']) {
        const own = await playWhenReady(context, late[what] ?? {})
        const stream = await own.stream()
        if (stream.content === '') continue
        begun += 1
        const broken = stream.chunks.find(({ json }) => json === undefined)
        context.expect(`an event that is no JSON after ${what}`, broken?.frame.data, stream).is(undefined)
      }
      if (begun === 0) throw context.notApplicable('no stream begins whose node breaks off')
    },
  }),
  must('relay.broken-reply-is-no-reply', {
    states: ['node-failures-are-no-replies'],
    needs: ['nodes'],
    dependsOn: ['relay.reply-text-exact'],
    sameCauseAs: ['relay.early-failure-is-no-reply'],
    phase: 'exclusive',
    cost: { requests: 36, tokens: 700 },
    wrong: 'A reply whose node broke off was answered with a success.',
    why: 'Users act on half an answer that looks complete.',
    fix: 'Answer with a 5xx when the node broke off before its reply was complete.',
    async run(context) {
      for (const [what, script] of Object.entries(late)) {
        const own = await playWhenReady(context, script)
        const answer = await own.reply()
        context
          .expect(`status of a reply whose node broke off by ${what}`, answer.status, answer)
          .satisfies('no 2xx', !isSuccess(answer))
      }
    },
  }),
  must('relay.broken-stream-is-not-begun-again', {
    states: ['fragments-make-the-reply'],
    needs: ['nodes'],
    dependsOn: ['relay.broken-stream-shows'],
    phase: 'exclusive',
    cost: { requests: 2, tokens: 100 },
    wrong: "A stream whose node broke off has text that is not the beginning of the node's.",
    why: 'Users read words twice, or two texts mixed, when a second try follows the first words.',
    fix: 'Try another node only as long as nothing has been sent.',
    async run(context) {
      const own = await playWhenReady(context, cutInMidStream)
      const stream = await own.stream()
      context
        .expect('the text before the break', stream.content, stream)
        .satisfies('a beginning of the text', fragments.join('').startsWith(stream.content))
    },
  }),
  should('relay.missing-end-marker', {
    states: ['stream-ends-with-done'],
    needs: ['nodes'],
    dependsOn: ['relay.stream-text-exact', 'stream.ends-with-done'],
    sameCauseAs: ['relay.broken-stream-shows'],
    phase: 'exclusive',
    cost: { requests: 2, tokens: 100 },
    wrong: "Without its node's [DONE], a stream came neither whole nor with a sign of failure.",
    why: 'Clients must not suffer from a missing end marker of a node that had finished.',
    fix: 'End the stream with [DONE] if the finish reason came, and with a sign of failure if not.',
    async run(context) {
      const own = await playWhenReady(context, { fragments, fault: { kind: 'end-without-done' } })
      const stream = await own.stream()
      const isEither = (stream.done && stream.content === fragments.join('')) || signOfFailure(stream) !== undefined
      context
        .expect('end of a stream whose node sent no [DONE]', stream.done, stream)
        .satisfies('[DONE] after the whole text, or a sign of failure', isEither)
    },
  }),
  open('relay.failure-status', {
    states: ['node-failure-open'],
    needs: ['nodes'],
    phase: 'exclusive',
    cost: { requests: 36, tokens: 400 },
    why: 'Clients retry a 503 and give up on a 500.',
    fix: 'Nothing to mend: the contract requires a 503 only for a model without a node.',
    async run(context) {
      const seen: Record<string, unknown> = {}
      for (const [what, script] of Object.entries(early))
        seen[what] = (await (await playWhenReady(context, script)).reply()).status ?? 'none'
      return seen
    },
  }),
])
