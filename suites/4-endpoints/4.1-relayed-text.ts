import { play, textOf } from '../../src/asking/nodes/scripted-nodes.ts'
import { clause, must, should } from '../../src/check/check.ts'
import { at, numberAt, textAt } from '../../src/json.ts'
import { finishReasonOf, isRefusedForNow, type StreamAnswer } from '../../src/target/answer.ts'
import type { NodeScript } from '../../src/target/nodes.ts'

/** Texts that are easily lost, doubled or changed on the way, in the fragments in which a node may send them. */
const hardTexts: Readonly<Record<string, readonly string[]>> = {
  'repeated fragments': ['no', ' no', ' no', ' no', ' ', ' ', 'no', 'no', '\n', '\n', 'end'],
  'letters of several bytes': ['Zoë ', '日本', '語', ' 👩‍💻', ' e\u0301', ' Ω≈ç', ' ﷽'],
  'escapes and quotes': ['"quoted"', " 'single' ", '\\n is not \n', '\t', '\\u0041', ' </script>', ' {"a":[1]}'],
  'what looks like the stream itself': [
    'data: ',
    '[DONE]',
    '\n\n',
    'data: [DONE]',
    '\n\n: comment',
    '\r\n',
    'event: x',
  ],
  'white space at its ends': ['  ', '\n', 'between', '\n\n', '  '],
  'one long fragment': ['a long line. '.repeat(2000)],
  'what is false in some languages': ['1', '0', '0', ' ', 'false', 'null', '0'],
  'fragments of nothing': ['a', '', '', 'z'],
  'control characters': ['\u0001', '\b', '\f', '\u001b[1m', '\u007f', '\\', 'end\\'],
}

/** Enough to show what goes wrong only among more than a handful. */
const voices = 20

const plain: NodeScript = { fragments: ['One ', 'two ', 'three ', 'four.'] }

export const relayedText = clause('4.1', [
  must('relay.reply-text-exact', {
    states: ['node-text-is-the-reply'],
    needs: ['nodes'],
    cost: { requests: 9, tokens: 10_000 },
    wrong: 'A reply is not the text that the node sent.',
    why: 'Users cannot see that the text they read was changed on its way.',
    fix: "Join the node's fragments unchanged, and decode bytes only when a character is complete.",
    async run(context) {
      for (const [what, fragments] of Object.entries(hardTexts)) {
        const { reply } = await play(context, { fragments })
        const answer = await reply()
        context.expect(`the text of a reply: ${what}`, textOf(context, what, answer), answer).is(fragments.join(''))
      }
    },
  }),
  must('relay.stream-text-exact', {
    states: ['node-text-is-the-reply', 'fragments-make-the-reply'],
    needs: ['nodes'],
    cost: { requests: 9, tokens: 8500 },
    wrong: 'A stream is not the text that the node sent, or lacks the [DONE] that others have.',
    why: 'Users read words that are missing, doubled or changed, and code and JSON of a model break.',
    fix: 'Pass on every fragment once, in order, whatever it holds.',
    async run(context) {
      // In another order than the replies, so that a stream which is given the request of a reply shows it.
      const ends: (readonly [what: string, answer: StreamAnswer])[] = []
      for (const [what, fragments] of Object.entries(hardTexts).toReversed()) {
        const { stream } = await play(context, { fragments })
        const answer = await stream()
        context.expect(`the text of a stream: ${what}`, textOf(context, what, answer), answer).is(fragments.join(''))
        ends.push([what, answer])
      }
      // That no stream at all has it is the business of another check.
      if (!ends.some(([, { done }]) => done)) return
      for (const [what, answer] of ends) context.expect(`the end of a stream: ${what}`, answer.done, answer).is(true)
    },
  }),
  must('relay.long-text', {
    states: ['node-text-is-the-reply'],
    needs: ['nodes'],
    dependsOn: ['relay.stream-text-exact'],
    cost: { requests: 2, tokens: 40_000 },
    wrong: 'A long reply or stream is not the text that the node sent.',
    why: 'Users lose the end of long replies when a buffer overflows.',
    fix: 'Limit what is held back, never what is passed on.',
    async run(context) {
      const fragments = Array.from({ length: 3000 }, (_, at) => `word${at} `)
      const { reply, stream } = await play(context, { fragments })
      const [whole, pieces] = [await reply({ max_tokens: 8192 }), await stream({ max_tokens: 8192 })]
      context.expect('the text of a long reply', textOf(context, 'a long reply', whole), whole).is(fragments.join(''))
      context
        .expect('the text of a long stream', textOf(context, 'a long stream', pieces), pieces)
        .is(fragments.join(''))
    },
  }),
  must('relay.replies-not-mixed', {
    states: ['each-gets-its-own-reply'],
    needs: ['nodes'],
    dependsOn: ['relay.reply-text-exact', 'relay.stream-text-exact'],
    cost: { requests: 40, tokens: 4000 },
    wrong: 'One of many concurrent answers is not the text that its node sent.',
    why: "One client's text in another's reply is the worst leak there is.",
    fix: 'Keep nothing of a request outside its own scope.',
    async run(context) {
      const plays = await Promise.all(
        Array.from({ length: voices }, (_, at) =>
          play(context, {
            fragments: Array.from({ length: 12 }, (__, turn) => `voice${at}-${turn} `),
            timing: { firstToken: 5, gap: 2 },
          }),
        ),
      )
      const streams = await Promise.all(plays.map(({ stream }) => stream({}, undefined, true)))
      const replies = await Promise.all(plays.map(({ reply }) => reply({}, true)))
      for (const [what, answers] of Object.entries({ streams, replies })) {
        for (const [at, answer] of answers.entries()) {
          if (isRefusedForNow(answer))
            throw context.undecidable(`one of ${voices} concurrent ${what} was answered with ${answer.status}`)
          const own = Array.from({ length: 12 }, (_, turn) => `voice${at}-${turn} `).join('')
          context
            .expect(
              `the text of one of ${voices} concurrent ${what}`,
              textOf(context, `one of ${voices} concurrent ${what}`, answer),
              answer,
            )
            .is(own)
        }
      }
    },
  }),
  must('relay.finish-reason', {
    states: ['finish-reason-length', 'choice-finish-reason'],
    needs: ['nodes'],
    dependsOn: ['relay.stream-text-exact'],
    cost: { requests: 4, tokens: 400 },
    wrong: 'A finish_reason is not the one that the node gave.',
    why: 'Clients ask for the rest of a cut reply only if its finish reason says so.',
    fix: "Pass on the node's finish reason.",
    async run(context) {
      for (const finishReason of ['stop', 'length']) {
        const { reply, stream } = await play(context, { ...plain, finishReason })
        const [whole, pieces] = [await reply(), await stream()]
        const reason = at(whole.json, 'choices', 0, 'finish_reason')
        context
          .expect(`finish_reason of a reply that the node ended with ${finishReason}`, reason, whole)
          .is(finishReason)
        const streamed = finishReasonOf(pieces)
        // A chunk need not have a finish reason; if it has one, it is the node's.
        context
          .expect(
            `finish_reason of a stream that the node ended with ${finishReason}`,
            streamed ?? finishReason,
            pieces,
          )
          .is(finishReason)
      }
    },
  }),
  must('relay.empty-text', {
    states: ['choice-message-content'],
    needs: ['nodes'],
    dependsOn: ['relay.reply-text-exact'],
    cost: { requests: 3, tokens: 160 },
    wrong: 'A reply without text did not come through as empty text with an end.',
    why: 'Clients that read `content` fail when an empty reply has no text at all.',
    fix: 'Answer with an empty text, and end the stream like any other.',
    async run(context) {
      const { reply, stream } = await play(context, { fragments: [], finishReason: 'stop' })
      const [whole, pieces] = [await reply(), await stream()]
      context.expect('content of an empty reply', textOf(context, 'an empty reply', whole), whole).is('')
      context
        .expect(
          'type of the content of an empty reply',
          typeof at(whole.json, 'choices', 0, 'message', 'content'),
          whole,
        )
        .is('string')
      const usual = await (await play(context, plain)).stream()
      if (usual.done) context.expect('the end of an empty stream', pieces.done, pieces).is(true)
    },
  }),
  must('relay.model-is-what-was-asked', {
    states: ['completion-model'],
    needs: ['nodes'],
    dependsOn: ['relay.reply-text-exact'],
    sameCauseAs: ['completion.model'],
    cost: { requests: 1, tokens: 60 },
    wrong: 'A reply of a node with a name of its own does not name the model asked for.',
    why: "Clients look up prices and logs by the model's id, and miss the name that a node uses.",
    fix: "Return the id that the request named, not the node's name.",
    async run(context) {
      const { reply } = await play(context, { ...plain, model: '/models/other-name.gguf' })
      const answer = await reply()
      context.expect('model of the reply', textAt(answer.json, 'model'), answer).is(context.nodes.model)
    },
  }),
  should('relay.ids-are-unique', {
    states: ['completion-ids-unique'],
    needs: ['nodes'],
    dependsOn: ['relay.reply-text-exact'],
    cost: { requests: 3, tokens: 200 },
    wrong: 'Three replies of a node that repeats its id do not have three ids.',
    why: 'Clients cannot tell replies apart in their logs when several nodes number theirs from 1.',
    fix: 'Generate the id in the gateway.',
    async run(context) {
      const { reply } = await play(context, { ...plain, id: 'chatcmpl-1' })
      const ids = [await reply(), await reply(), await reply()].map(({ json }) => textAt(json, 'id'))
      context.expect('different ids of three replies', new Set(ids).size).is(3)
    },
  }),
  must('relay.usage-whatever-the-node-counts', {
    states: ['usage-counts', 'node-text-is-the-reply'],
    needs: ['nodes'],
    dependsOn: ['relay.reply-text-exact', 'relay.stream-text-exact'],
    cost: { requests: 8, tokens: 600 },
    wrong: 'Text or usage did not arrive from a node that sends usage in its own way.',
    why: 'Clients miss usage when a gateway expects a node to report it in one particular way.',
    fix: 'Count in the gateway, or use the last plausible usage that the node sent.',
    async run(context) {
      const usageForms: Readonly<Record<string, NodeScript>> = {
        'no usage': { ...plain, usageWhere: 'never' },
        'usage in every chunk': { ...plain, usageWhere: 'every-chunk' },
        'usage that is null': { ...plain, usage: null, usageWhere: 'every-chunk' },
        'usage in the last chunk': { ...plain, usageWhere: 'last-chunk' },
      }
      for (const [what, script] of Object.entries(usageForms)) {
        const { reply, stream } = await play(context, script)
        const [whole, pieces] = [await reply(), await stream()]
        context.expect(`the text of a reply: ${what}`, textOf(context, what, whole), whole).is('One two three four.')
        context.expect(`the text of a stream: ${what}`, textOf(context, what, pieces), pieces).is('One two three four.')
        const total = numberAt(whole.json, 'usage', 'total_tokens')
        context.expect(`total_tokens of a reply: ${what}`, total, whole).isAtLeast(1)
      }
    },
  }),
  should('relay.unknown-fields-pass', {
    states: ['node-text-is-the-reply'],
    needs: ['nodes'],
    dependsOn: ['relay.reply-text-exact', 'relay.stream-text-exact'],
    cost: { requests: 2, tokens: 150 },
    wrong: 'The text of a node that sends additional fields did not arrive unchanged.',
    why: "Clients get no reply when a node's new release adds a field that the gateway cannot handle.",
    fix: "Read the known fields of the node's reply, and pass on or drop the rest.",
    async run(context) {
      const extra = {
        reply: { x_node: { rack: 7 } },
        chunk: { x_node: [1, null] },
        choice: { logprobs: null },
        delta: { reasoning_content: null, tool_calls: null },
      }
      const { reply, stream } = await play(context, { ...plain, extra })
      const [whole, pieces] = [await reply(), await stream()]
      context
        .expect('the text of a reply with more fields', textOf(context, 'a reply with more fields', whole), whole)
        .is('One two three four.')
      context
        .expect('the text of a stream with more fields', textOf(context, 'a stream with more fields', pieces), pieces)
        .is('One two three four.')
    },
  }),
  should('relay.other-success-status', {
    states: ['node-text-is-the-reply'],
    needs: ['nodes'],
    dependsOn: ['relay.reply-text-exact'],
    cost: { requests: 1, tokens: 60 },
    wrong: 'A reply that the node sent with 201 did not arrive unchanged.',
    why: 'The service pays for a good reply under 201 that the client never gets.',
    fix: 'Treat every 2xx of a node as a success.',
    async run(context) {
      const { reply } = await play(context, { ...plain, status: 201 })
      const answer = await reply()
      context
        .expect(
          'the text of a reply that the node sent with 201',
          textOf(context, 'a reply that the node sent with 201', answer),
          answer,
        )
        .is('One two three four.')
    },
  }),
])
