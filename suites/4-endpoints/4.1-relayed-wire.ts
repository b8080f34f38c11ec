import { play, textOf } from '../../src/asking/nodes/scripted-nodes.ts'
import { clause, must, should } from '../../src/check/check.ts'
import { at } from '../../src/json.ts'

/** Different forms of the same event stream. */
const wires: Readonly<Record<string, object>> = {
  'one byte at a time': { cuts: 'bytes' },
  'seven bytes at a time': { cuts: 7 },
  'CRLF and comments': { lineEnd: '\r\n', comments: { text: 'keep-alive', every: 1 } },
  'no space after the colon': { spaceAfterColon: false },
  'letters as escapes': { ascii: true },
  'no announced length': { length: false, cuts: 40 },
  'CRLF one byte at a time': { lineEnd: '\r\n', cuts: 'bytes', comments: true },
}

/** How a node's stream is cut into bytes and lines. */
export const relayedWire = clause('4.1', [
  must('relay.pause-inside-a-line', {
    states: ['node-text-is-the-reply'],
    needs: ['nodes'],
    dependsOn: ['relay.reply-text-exact', 'relay.stream-text-exact'],
    cost: { requests: 2, tokens: 100 },
    wrong: 'A text whose node paused inside a line did not arrive unchanged.',
    why: 'Users lose words that reached the gateway in two reads, which happens most when a network is busy.',
    fix: 'Keep the beginning of a line, or of a JSON body, until the rest has come.',
    async run(context) {
      const fragments = ['One ', 'two ', 'three.']
      // Without the pauses the network would join the pieces again.
      const { reply, stream } = await play(context, { fragments, wire: { cuts: 97, pauseMs: 15 } })
      const [whole, pieces] = await Promise.all([reply(), stream()])
      const what = 'pauses inside lines'
      context.expect(`the text of a reply: ${what}`, textOf(context, what, whole), whole).is(fragments.join(''))
      context.expect(`the text of a stream: ${what}`, textOf(context, what, pieces), pieces).is(fragments.join(''))
    },
  }),
  must('relay.pause-inside-a-character', {
    states: ['node-text-is-the-reply'],
    needs: ['nodes'],
    dependsOn: ['relay.pause-inside-a-line'],
    cost: { requests: 2, tokens: 100 },
    wrong: 'A text whose node paused inside a character did not arrive unchanged.',
    why: 'Users read U+FFFD in place of a letter whose bytes reached the gateway in two reads.',
    fix: 'Decode a reply with one decoder, which keeps the beginning of a character until its other bytes have come.',
    async run(context) {
      // Letters of two, three and four bytes. The pauses are long enough for two reads, however slowly a gateway reads.
      const fragments = ['Grü', 'n, 東', ' und 👋', '.']
      const { reply, stream } = await play(context, { fragments, wire: { cuts: 'characters', pauseMs: 30 } })
      const [whole, pieces] = await Promise.all([reply(), stream()])
      const what = 'a pause inside each letter of several bytes'
      context.expect(`the text of a reply: ${what}`, textOf(context, what, whole), whole).is(fragments.join(''))
      context.expect(`the text of a stream: ${what}`, textOf(context, what, pieces), pieces).is(fragments.join(''))
    },
  }),
  must('relay.any-form-of-stream', {
    states: ['node-text-is-the-reply'],
    needs: ['nodes'],
    dependsOn: ['relay.pause-inside-a-character'],
    cost: { requests: 14, tokens: 1400 },
    wrong: 'A text did not arrive unchanged from a node with another form of event stream.',
    why: 'Users lose text when a gateway relies on how the network cuts bytes or how a server ends lines.',
    fix: "Parse the node's stream by the rules of server-sent events, however its bytes are cut.",
    async run(context) {
      // Few events: byte by byte, each of them takes some two hundred writes.
      const fragments = ['Grüße aus ', '東京 👋🏽', ' und weiter.']
      for (const [what, wire] of Object.entries(wires)) {
        const { reply, stream } = await play(context, { fragments, wire })
        const [whole, pieces] = [await reply(), await stream()]
        context.expect(`the text of a reply: ${what}`, textOf(context, what, whole), whole).is(fragments.join(''))
        context.expect(`the text of a stream: ${what}`, textOf(context, what, pieces), pieces).is(fragments.join(''))
      }
    },
  }),
  must('relay.media-type-with-a-charset', {
    states: ['node-text-is-the-reply'],
    needs: ['nodes'],
    dependsOn: ['relay.stream-text-exact'],
    cost: { requests: 2, tokens: 100 },
    wrong: 'A stream whose node names a charset did not arrive unchanged.',
    why: 'Engines written in Python send `text/event-stream; charset=utf-8`, and users get nothing from them.',
    fix: 'Compare the media type without its parameters.',
    async run(context) {
      const fragments = ['One ', 'zwölf.']
      const plain = await play(context, { fragments })
      await plain.stream()
      const [{ json }] = await plain.seen()
      if (at(json, 'stream') !== true) throw context.notApplicable('the gateway asks nodes for no streams')
      const own = await play(context, { fragments, headers: { 'content-type': 'text/event-stream; charset=utf-8' } })
      const answer = await own.stream()
      const what = 'a stream with a charset'
      context.expect(`the text of ${what}`, textOf(context, what, answer), answer).is(fragments.join(''))
    },
  }),
  should('relay.bare-carriage-returns', {
    states: ['node-text-is-the-reply'],
    needs: ['nodes'],
    dependsOn: ['relay.any-form-of-stream'],
    cost: { requests: 1, tokens: 50 },
    wrong: 'A stream whose node ends lines with carriage returns did not arrive unchanged.',
    why: 'Event streams allow three line ends, and users lose text where a parser knows two.',
    fix: 'End a line at a carriage return as well, whether or not a line feed follows.',
    async run(context) {
      const fragments = ['One ', 'two ', 'three.']
      const { stream } = await play(context, { fragments, wire: { lineEnd: '\r' } })
      const answer = await stream()
      context
        .expect('the text of a stream', textOf(context, 'bare carriage returns', answer), answer)
        .is('One two three.')
    },
  }),
  must('relay.long-lines', {
    states: ['node-text-is-the-reply'],
    needs: ['nodes'],
    dependsOn: ['relay.stream-text-exact'],
    cost: { requests: 2, tokens: 48_500 },
    wrong: 'A text with a line beyond 64 KiB did not arrive unchanged.',
    why: 'Users lose text when a node sends much at once and a line reader has a buffer of fixed size.',
    fix: 'Read lines of any length, or at least of a megabyte.',
    async run(context) {
      const fragments = ['a', 'long line. '.repeat(7000), 'z']
      const { reply, stream } = await play(context, { fragments })
      for (const answer of [await reply(), await stream()])
        context
          .expect('the text around a line beyond 64 KiB', textOf(context, 'a long line', answer), answer)
          .is(fragments.join(''))
    },
  }),
])
