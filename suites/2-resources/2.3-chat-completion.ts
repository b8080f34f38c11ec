import { setTimeout as sleep } from 'node:timers/promises'
import { expectDifferentIds, onEveryReply } from '../../src/asking/audits.ts'
import { modelDue } from '../../src/asking/model-due.ts'
import { clause, must, open, should } from '../../src/check/check.ts'
import { chatCompletionSchema } from '../../src/contract/chat-completion.ts'
import { mismatches } from '../../src/contract/schema.ts'
import { at, isRecord, listAt, numberAt, textAt } from '../../src/json.ts'
import { inTurnUntil } from '../../src/repeat/repeat.ts'
import { type Answer, contentOf } from '../../src/target/answer.ts'
import { headerOf } from '../../src/wire/transcript.ts'

const dayMs = 86_400_000
const tenMinutesMs = 600_000
/** After this, two times in whole seconds differ, however they are rounded. */
const longerThanASecondMs = 2100

export const chatCompletion = clause('2.3', [
  must(
    'completion.id',
    onEveryReply(
      {
        states: ['completion-id'],
        wrong: 'A reply has no usable id.',
        why: 'Strict clients refuse a reply without an id, and teams cannot join their logs.',
        fix: 'Give every reply an `id` that is a non-empty string.',
      },
      (expect, reply) =>
        expect('id', at(reply.json, 'id'), reply).satisfies(
          'a non-empty string',
          (textAt(reply.json, 'id') ?? '') !== '',
        ),
    ),
  ),
  must(
    'completion.object',
    onEveryReply(
      {
        states: ['completion-object'],
        wrong: 'The object of a reply is not chat.completion.',
        why: 'Typed clients choose the class of a reply by `object`, and fail on any other value.',
        fix: 'Set `object` to chat.completion in replies that are not streamed.',
      },
      (expect, reply) => expect('object', at(reply.json, 'object'), reply).is('chat.completion'),
    ),
  ),
  must(
    'completion.created',
    onEveryReply(
      {
        states: ['completion-created'],
        wrong: "A reply's created is not the present time in whole seconds.",
        why: 'Milliseconds, floats and strings overflow or fail in typed clients.',
        fix: 'Set `created` to the whole number of seconds since 1970, written without a fraction or an exponent.',
      },
      (expect, reply) => {
        // Only the text shows the spelling; a name written with escapes is read by its parsed value.
        const literal =
          /"created"\s*:\s*("[^"]*"|[^\s,}\]]+)/.exec(reply.text)?.[1] ?? JSON.stringify(at(reply.json, 'created'))
        expect('created, as written', literal, reply).satisfies('a whole number', /^\d+$/.test(literal ?? ''))
        const drift = Math.abs(Number(literal) * 1000 - reply.exchange.sentAt)
        expect(`created ${literal}: distance from now in ms`, drift, reply).isAtMost(dayMs)
        // Our clock may be wrong, and a cached reply may keep its time, but no reply is from the gateway's own future.
        const date = Date.parse(headerOf(reply.exchange, 'date') ?? '')
        if (Number.isNaN(date)) return
        const early = Number(literal) * 1000 - date
        expect(`created ${literal}: ms after the Date of its answer`, early, reply).isAtMost(tenMinutesMs)
      },
    ),
  ),
  must('completion.created-moves', {
    states: ['completion-created'],
    dependsOn: ['completion.created'],
    phase: 'last',
    cost: { requests: 1, tokens: 60 },
    wrong: 'The created of a later reply is not later than that of the first.',
    why: 'Clients that sort or expire replies by `created` fail when it stands still.',
    fix: 'Read the clock for each reply.',
    async run({ ask, expect, model, nonce, samples, undecidable }) {
      const replies = (await samples.replies()).filter(({ asked }) => asked['model'] === model)
      const [first] = replies.map(({ answer }) => answer).sort((a, b) => a.exchange.sentAt - b.exchange.sentAt)
      if (first === undefined) throw undecidable(`no reply of ${model} was seen before`)
      const endedAt = first.exchange.sentAt + first.exchange.endedAtMs
      await sleep(Math.max(0, endedAt + longerThanASecondMs - Date.now()))
      // No cache can hold the reply to a word that was never sent before.
      const second = await ask({ messages: [{ role: 'user', content: `Say hello to ${nonce()}.` }] })
      const earlier = numberAt(first.json, 'created') ?? Number.NaN
      // The first reply is half of the evidence.
      expect('created of the first reply of the run', earlier, first).satisfies('a number', !Number.isNaN(earlier))
      const later = numberAt(second.json, 'created') ?? Number.NaN
      expect(`created of a reply over a second after the first of the run (${earlier})`, later, second).satisfies(
        'a later second',
        later > earlier,
      )
    },
  }),
  must(
    'completion.model',
    onEveryReply(
      {
        states: ['completion-model'],
        wrong: 'A reply does not name the model that was asked for.',
        why: 'Clients and cost dashboards look up the model by the id that was requested, and miss any other.',
        fix: "Return the id from the model list, not the node's name for the model.",
      },
      (expect, reply, asked, prepared) => {
        const said = at(reply.json, 'model')
        expect('model', said, reply).is(modelDue(asked, said, prepared))
      },
    ),
  ),
  must(
    'completion.choice-index',
    onEveryReply(
      {
        states: ['choice-index'],
        wrong: 'The choices of a reply are not numbered from 0.',
        why: 'Clients sort choices by their index, and mix them up without one.',
        fix: 'Number the choices from 0.',
      },
      (expect, reply) => {
        const choices = listAt(reply.json, 'choices')
        expect(
          'indexes of the choices',
          choices.map((choice) => at(choice, 'index')),
          reply,
        ).is(choices.map((_, position) => position))
      },
    ),
  ),
  must(
    'completion.role',
    onEveryReply(
      {
        states: ['choice-message-role'],
        wrong: "The message of a reply is not marked as the assistant's.",
        why: 'Clients send the message back as history, and are refused when its role is unknown.',
        fix: 'Set the role of the message to assistant.',
      },
      (expect, reply) =>
        expect('role of the message', at(reply.json, 'choices', 0, 'message', 'role'), reply).is('assistant'),
    ),
  ),
  must(
    'completion.content',
    onEveryReply(
      {
        states: ['choice-message-content'],
        wrong: 'The content of a reply is not text.',
        why: 'Clients that expect text break on null, a list or missing content.',
        fix: 'Return the text of the reply as a string, an empty one if need be.',
      },
      (expect, reply) =>
        expect('type of the content', typeof at(reply.json, 'choices', 0, 'message', 'content'), reply).is('string'),
    ),
  ),
  must(
    'completion.finish-reason',
    onEveryReply(
      {
        states: ['choice-finish-reason'],
        wrong: 'The finish_reason of a reply is missing, empty or not text.',
        why: 'Clients cannot tell a complete reply from a cut one without a finish reason.',
        fix: 'Give every choice a `finish_reason` that is a non-empty string.',
      },
      (expect, reply) => {
        const reason = at(reply.json, 'choices', 0, 'finish_reason')
        expect('finish_reason', reason, reply).satisfies(
          'a non-empty string',
          typeof reason === 'string' && reason !== '',
        )
      },
    ),
  ),
  must(
    'completion.no-error-inside',
    onEveryReply(
      {
        states: ['completion-choices'],
        wrong: 'A reply with a success status carries an error.',
        why: 'Clients never retry a failure sent with a 200, because retries go by the status.',
        fix: 'Answer a failure with its own status.',
      },
      (expect, reply) => expect('error inside a 200', at(reply.json, 'error') ?? null, reply).is(null),
    ),
  ),
  must('completion.matches-schema', {
    ...onEveryReply(
      {
        states: ['completion-choices', 'usage-counts'],
        wrong: 'A reply does not have the shape of a chat completion.',
        why: 'Clients generated from the schema refuse a reply that does not match it.',
        fix: 'Compare the reply with the schema of clause 2.3, field by field.',
      },
      (expect, reply) => {
        expect('the reply', isRecord(reply.json), reply).is(true)
        // Each of these fields has its own check, which names the cause; this one covers the rest.
        const rest = mismatches(chatCompletionSchema, reply.json).filter((sentence) => !ownChecks.test(sentence))
        expect('violations of the schema', rest, reply).is([])
      },
    ),
    dependsOn: ['chat.answers', 'usage.present'],
  }),
  must('completion.text-not-empty', {
    states: ['choice-message-content'],
    phase: 'early',
    dependsOn: ['chat.answers'],
    cost: { requests: 4, tokens: 2400, quick: 3 },
    wrong: 'Plain questions got replies without any text.',
    why: 'Clients are billed for an empty reply under a 200, a failure that nobody notices.',
    fix: 'Return the text that the node generated.',
    async run({ ask, expect, undecidable }) {
      const prompts = ['Say hello.', 'Count from one to ten.', 'What is the capital of France?']
      const asked = (content: string, tokensMax: number): Promise<Answer> =>
        ask({ messages: [{ role: 'user', content }], max_tokens: tokensMax })
      const short = await inTurnUntil(
        prompts.length,
        (turn) => asked(prompts[turn] ?? '', 64),
        (reply) => (contentOf(reply) ?? '') !== '',
      )
      // A model that thinks first may have had no tokens left for its text.
      const replies = short.every(isSpentInSilence) ? [await asked('Say hello.', 2048)] : short
      if (replies.every(isSpentInSilence)) throw undecidable('the model reaches its limit before saying anything')
      const texts = replies.map((reply) => contentOf(reply) ?? '')
      const tokens = replies.map((reply) => Number(at(reply.json, 'usage', 'completion_tokens') ?? 0))
      if (texts.every((text) => text === '') && tokens.every((count) => count === 0))
        throw undecidable('the model says nothing at all')
      expect('replies with text', texts.filter((text) => text !== '').length, replies.at(-1)).isAtLeast(1)
    },
  }),
  should('completion.ids-unique', {
    states: ['completion-ids-unique'],
    dependsOn: ['chat.answers'],
    phase: 'audit',
    cost: { requests: 0, tokens: 0 },
    wrong: 'Two replies share an id.',
    why: 'Teams join logs, caches and billing by the id, and a shared one mixes up requests.',
    fix: 'Generate a fresh id for each reply, cached ones included.',
    async run(context) {
      const { samples, notApplicable } = context
      const named = (await samples.replies()).flatMap(({ answer }) => {
        const id = textAt(answer.json, 'id') ?? ''
        return id === '' ? [] : [{ id, answer }]
      })
      if (named.length < 2) throw notApplicable('fewer than two replies have an id')
      expectDifferentIds(context, 'ids that two replies share', named)
    },
  }),
  open('completion.extra-fields', {
    states: ['extra-fields-open'],
    dependsOn: ['chat.answers'],
    why: 'Clients that use fields beyond the contract want to know which ones a gateway adds.',
    fix: 'Nothing to mend: the contract leaves it open.',
    async run({ ask }) {
      const known = Object.keys(chatCompletionSchema.properties)
      const { json } = await ask()
      return isRecord(json) ? Object.keys(json).filter((name) => !known.includes(name)) : null
    },
  }),
  open('completion.finish-reasons', {
    states: ['finish-reasons-open'],
    dependsOn: ['chat.answers'],
    cost: { requests: 2, tokens: 200 },
    why: 'The contract shows only `stop`, and clients want to know the other reasons.',
    fix: 'Nothing to mend: the contract leaves it open.',
    async run({ ask }) {
      const replies = await Promise.all([1, 400].map((max_tokens) => ask({ max_tokens })))
      return replies.map((reply) => at(reply.json, 'choices', 0, 'finish_reason'))
    },
  }),
])

/** Whether a reply has no text and does not say that it ended by itself. */
function isSpentInSilence({ json }: Answer): boolean {
  return textAt(json, 'choices', 0, 'message', 'content') === '' && at(json, 'choices', 0, 'finish_reason') !== 'stop'
}

const ownChecks =
  /^(?:\/choices\/0\/(?:index|message|finish_reason)|\/choices\/0 must have|\/(?:id|object|created|model)\b)|^the whole value must have required property '(?:id|object|created|model)'/
