import { play, playWhenReady, signOfFailure, textOf } from '../../src/asking/nodes/scripted-nodes.ts'
import { clause, must, should } from '../../src/check/check.ts'
import { eventually } from '../../src/repeat/eventually.ts'
import { type Answer, isSuccess } from '../../src/target/answer.ts'

const fragments = ['One ', 'two ', 'three ', 'four ', 'five ', 'six.']

export const unreachableNodes = clause('7', [
  // The contract names no time: the minute is what clients bear.
  should('relay.hang-ends', {
    states: ['node-failures-are-no-replies'],
    needs: ['nodes', 'long'],
    dependsOn: ['relay.reply-text-exact'],
    phase: 'exclusive',
    cost: { requests: 2, tokens: 200 },
    wrong: 'A request whose node hangs got no 5xx within a minute.',
    coversNoReply: true,
    why: 'A request that never ends keeps a user waiting, and holds a connection and a thread.',
    fix: "Limit the time to a node's headers and first word to well below a minute.",
    async run(context) {
      const own = await playWhenReady(context, { fault: { kind: 'hang-before-head' } })
      const [reply, stream] = await Promise.all([own.reply(), own.stream()])
      for (const answer of [reply, stream]) {
        context
          .expect('status when the node hangs', answer.status, answer)
          .satisfies('a 5xx within a minute', (answer.status ?? 0) >= 500)
      }
    },
  }),
  should('relay.hang-in-mid-stream-shows', {
    states: ['broken-streams-show'],
    needs: ['nodes', 'long'],
    dependsOn: ['relay.stream-text-exact'],
    phase: 'exclusive',
    cost: { requests: 1, tokens: 100 },
    wrong: 'A stream whose node fell silent showed no sign of failure within a minute.',
    coversNoReply: true,
    why: 'Users stare at a blinking cursor when a stream silently stops.',
    fix: 'Limit how long a node may be silent, and then end the stream with a sign of failure.',
    async run(context) {
      const own = await playWhenReady(context, { fragments, fault: { kind: 'hang-mid-stream', afterChunks: 3 } })
      const stream = await own.stream()
      context
        .expect('end of a stream whose node fell silent', stream.exchange.ending, stream)
        .satisfies(
          'a sign of failure within a minute',
          stream.exchange.ending !== 'timeout' && signOfFailure(stream) !== undefined,
        )
    },
  }),
  must('relay.no-node-is-503', {
    states: ['no-node-is-503'],
    needs: ['nodes'],
    dependsOn: ['relay.recovers'],
    phase: 'exclusive',
    safe: false,
    cost: { requests: 8, tokens: 300 },
    wrong: 'With every node refusing connections, a request was not answered with 503.',
    coversNoReply: true,
    why: 'Clients retry a 503 and give up on everything else.',
    fix: 'Answer 503 when no node of the model can be reached, in both modes, before any 200.',
    async run(context) {
      const { nodes, expect } = context
      const own = await playWhenReady(context, { fragments })
      await nodes.setState('refuse')
      const [reply, stream] = [await own.reply(), await own.stream()]
      await nodes.setState('up')
      for (const answer of [reply, stream])
        expect('status when every node refuses the connection', answer.status, answer).is(503)
    },
  }),
  must('relay.black-hole-is-503', {
    states: ['no-node-is-503'],
    needs: ['nodes', 'long'],
    dependsOn: ['relay.no-node-is-503'],
    phase: 'exclusive',
    safe: false,
    cost: { requests: 2, tokens: 100 },
    wrong: 'With every node a black hole, a request was not answered with 503.',
    coversNoReply: true,
    why: 'Every client waits as long as the gateway does for a machine that vanished without a refusal.',
    fix: 'Limit the time to connect, and answer 503 within a minute.',
    async run(context) {
      const { nodes, expect } = context
      const own = await playWhenReady(context, { fragments })
      await nodes.setState('blackhole')
      const [reply, stream] = await Promise.all([own.reply(), own.stream()])
      await nodes.setState('up')
      for (const answer of [reply, stream])
        expect('status when every node is a black hole', answer.status, answer).is(503)
    },
  }),
  should('relay.recovers', {
    states: ['nodes-come-back'],
    needs: ['nodes'],
    dependsOn: ['relay.reply-text-exact'],
    phase: 'exclusive',
    safe: false,
    cost: { requests: 60, tokens: 3000 },
    wrong: 'A model was served without a node, or not served after its nodes were back.',
    why: 'Users must not suffer a minute of outage for a second of trouble.',
    fix: 'Probe a failed node soon and often, and trust it again at the first success.',
    async run(context) {
      const { nodes, expect, target, undecidable } = context
      const own = await play(context, { fragments })
      const withinMs = Math.max(2000, target.config.settlingMs)
      const served = async (): Promise<Answer> => eventually({ withinMs, everyMs: 100 }, () => own.reply(), isSuccess)
      // Other checks have made the nodes fail before this one.
      const before = await served()
      const wereAsked = (await nodes.scripted()).length > 0
      if (!isSuccess(before) && !wereAsked) throw undecidable('the gateway has asked none of our nodes so far')
      expect('the text when the nodes are back', textOf(context, 'a reply', before), before).is(fragments.join(''))
      await nodes.setState('refuse')
      const broken = await own.reply()
      expect('status while every node refuses', broken.status, broken).satisfies('no 2xx', !isSuccess(broken))
      await nodes.setState('up')
      const answer = await served()
      expect('the text when the nodes are back', textOf(context, 'a reply', answer), answer).is(fragments.join(''))
    },
  }),
])
