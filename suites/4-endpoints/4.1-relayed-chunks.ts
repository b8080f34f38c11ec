import { play, textOf } from '../../src/asking/nodes/scripted-nodes.ts'
import { clause, must, should } from '../../src/check/check.ts'
import { at } from '../../src/json.ts'
import { type Answer, finishReasonOf, isStream, type StreamAnswer } from '../../src/target/answer.ts'
import type { NodeScript } from '../../src/target/nodes.ts'

/** As a node says whose clock is right: what it says may be passed on. */
const created = Math.floor(Date.now() / 1000)

const chunkOf = (delta: object, finish_reason: string | null = null): string =>
  `data: ${JSON.stringify({ id: 'n1', object: 'chat.completion.chunk', created, model: 'm', choices: [{ index: 0, delta, finish_reason }] })}\n\n`

/** A filter's findings about the prompt come first, without a choice. */
const findings = `data: ${JSON.stringify({ id: '', object: '', created: 0, model: '', choices: [], prompt_filter_results: [{ prompt_index: 0 }] })}\n\n`

/** A stream that has chunks without a choice or without text, and text in its last chunk. */
const spareStream: NodeScript = {
  headers: { 'content-type': 'text/event-stream' },
  body: [
    findings,
    chunkOf({ role: 'assistant', content: null }),
    chunkOf({ content: 'One ' }),
    chunkOf({ content: null }),
    chunkOf({}),
    chunkOf({ content: 'two ' }),
    chunkOf({ content: 'end' }, 'length'),
    'data: [DONE]\n\n',
  ].join(''),
}

/** The same reply, not streamed. */
const spareReply: NodeScript = {
  headers: { 'content-type': 'application/json' },
  body: {
    id: 'n1',
    object: 'chat.completion',
    created,
    model: 'm',
    choices: [{ index: 0, message: { role: 'assistant', content: 'One two end' }, finish_reason: 'length' }],
    usage: { prompt_tokens: 5, completion_tokens: 3, total_tokens: 8 },
  },
}

/** More of the same than gateways take for a model that has lost its way. */
const equalWords = Array.from({ length: 150 }, () => 'word ')

/** Texts that begin like what a server says when it fails. */
const errorWords = [
  ['error', ' 500: ', 'Internal Server Error', ' is what it said.'],
  ['{"error": ', '{"code": 429}}', ' is an example.'],
]

/** What nodes put into their chunks. */
export const relayedChunks = clause('4.1', [
  should('relay.spare-and-full-chunks', {
    states: ['node-text-is-the-reply', 'choice-finish-reason'],
    needs: ['nodes'],
    dependsOn: ['relay.reply-text-exact', 'relay.finish-reason'],
    sameCauseAs: ['relay.usage-whatever-the-node-counts'],
    cost: { requests: 4, tokens: 200 },
    wrong: 'Text or finish_reason did not arrive from a node that sends spare and full chunks.',
    why: 'Clients lose text when a gateway does not expect a chunk without a choice or without text, or text beside the finish reason.',
    fix: 'Take the text of every chunk that has any, and the finish reason of the one that has it.',
    async run(context) {
      for (const mode of ['reply', 'stream'] as const) {
        const probe = await play(context, { fragments: ['Fine', '.'] })
        await probe[mode]()
        const [{ json }] = await probe.seen()
        const own = await play(context, at(json, 'stream') === true ? spareStream : spareReply)
        const answer: Answer | StreamAnswer = await own[mode]()
        context.expect(`the text of a ${mode}`, textOf(context, `a ${mode}`, answer), answer).is('One two end')
        const reason = isStream(answer)
          ? (finishReasonOf(answer) ?? 'length')
          : at(answer.json, 'choices', 0, 'finish_reason')
        context.expect(`finish_reason of a ${mode}`, reason, answer).is('length')
      }
    },
  }),
  must('relay.equal-fragments-pass', {
    states: ['node-text-is-the-reply'],
    needs: ['nodes'],
    dependsOn: ['relay.stream-text-exact'],
    sameCauseAs: ['relay.reply-text-exact'],
    cost: { requests: 6, tokens: 1500 },
    wrong: 'A text of 150 equal words did not arrive unchanged.',
    why: 'Tables, bars of progress and counted words repeat themselves, and are lost to a guard against models that do.',
    fix: 'Pass on what the node says, however often: its limit ends it.',
    async run(context) {
      const { reply, stream } = await play(context, { fragments: equalWords })
      for (const answer of [await reply(), await stream()]) {
        const what = `a ${isStream(answer) ? 'stream' : 'reply'} of ${equalWords.length} equal words`
        context.expect(`the text of ${what}`, textOf(context, what, answer), answer).is(equalWords.join(''))
      }
    },
  }),
  must('relay.error-words-pass', {
    states: ['node-text-is-the-reply'],
    needs: ['nodes'],
    dependsOn: ['relay.stream-text-exact'],
    sameCauseAs: ['relay.reply-text-exact'],
    cost: { requests: 4, tokens: 400 },
    wrong: 'A text that begins like an error did not arrive unchanged.',
    why: 'Whoever asks what an error means gets a failure, or the answer of a second node.',
    fix: 'Tell the failure of a node by its status and by an error object, never by the words of its text.',
    async run(context) {
      for (const fragments of errorWords) {
        const { reply, stream } = await play(context, { fragments })
        for (const answer of [await reply(), await stream()]) {
          const what = `a ${isStream(answer) ? 'stream' : 'reply'} that begins with ${fragments[0]}`
          context.expect(`the text of ${what}`, textOf(context, what, answer), answer).is(fragments.join(''))
        }
      }
    },
  }),
])
