import { audited, expectDifferentIds, onEveryChunk, onEveryStream, whereCarried } from '../../src/asking/audits.ts'
import { modelDue } from '../../src/asking/model-due.ts'
import { acrossASecondCost, streamsAcrossASecond } from '../../src/asking/timed/across-a-second.ts'
import { clause, open, should } from '../../src/check/check.ts'
import { usageSchema } from '../../src/contract/chat-completion.ts'
import { mismatches } from '../../src/contract/schema.ts'
import { at, isRecord, numberAt, textAt } from '../../src/json.ts'
import { fragmentOf, type StreamAnswer } from '../../src/target/answer.ts'

const dayMs = 86_400_000

/** The first choice of each chunk of a stream that has one. */
function firstChoices(stream: StreamAnswer): readonly unknown[] {
  return stream.chunks.map(({ json }) => at(json, 'choices', 0)).filter(isRecord)
}

export const optionalFields = clause('2.4', [
  should(
    'chunk.object',
    whereCarried(
      {
        states: ['chunk-fields-open'],
        wrong: 'The object of a chunk is not chat.completion.chunk.',
        why: 'Typed clients choose the class of a chunk by `object`, and fail on any other value.',
        fix: 'Set `object`, if sent, to chat.completion.chunk.',
      },
      'object',
      (expect, chunk, stream) => expect('object of a chunk', at(chunk, 'object'), stream).is('chat.completion.chunk'),
    ),
  ),
  should(
    'chunk.created',
    whereCarried(
      {
        states: ['chunk-fields-open'],
        wrong: "A chunk's created is no whole number, or is more than a day from now.",
        why: 'Milliseconds, floats and zeroes overflow or fail in typed clients.',
        fix: 'Send `created`, if at all, as whole Unix seconds.',
      },
      'created',
      (expect, chunk, stream) => {
        const created = at(chunk, 'created')
        expect('created of a chunk', created, stream).satisfies('a whole number', Number.isInteger(created))
        expect(
          `created ${created}: distance from now in ms`,
          Math.abs(Number(created) * 1000 - stream.exchange.sentAt),
          stream,
        ).isAtMost(dayMs)
      },
    ),
  ),
  should('chunk.created-constant', {
    ...audited(
      {
        states: ['chunk-fields-open'],
        sameCauseAs: ['stream.left-reaches-nobody-else'],
        wrong: 'The chunks of one stream have different created times.',
        why: 'Clients that identify a reply by `created` and its id split one stream into several replies.',
        fix: 'Read the clock once per reply.',
      },
      'stream.answers',
    ),
    cost: acrossASecondCost,
    async run(context) {
      let carrying = 0
      for await (const stream of streamsAcrossASecond(context)) {
        const carried = stream.chunks.map(({ json }) => numberAt(json, 'created')).filter((time) => time !== undefined)
        // A single one cannot differ from others.
        if (carried.length < 2) continue
        carrying += 1
        const times = [...new Set(carried)]
        const what = 'values of created within one stream'
        context.expect(what, times.slice(0, 3), stream).satisfies('only one', times.length === 1)
      }
      if (carrying === 0) throw context.notApplicable('no two chunks of a stream carry created, which is open')
    },
  }),
  should(
    'chunk.model',
    whereCarried(
      {
        states: ['completion-model', 'chunk-fields-open'],
        sameCauseAs: ['completion.model'],
        wrong: 'The model of a chunk is not the one that was asked for.',
        why: 'Users of dashboards see one model as two when the modes name it differently.',
        fix: 'Set `model`, if sent, to the id that was requested.',
      },
      'model',
      (expect, chunk, stream, asked, prepared) =>
        expect('model of a chunk', at(chunk, 'model'), stream).is(modelDue(asked, at(chunk, 'model'), prepared)),
    ),
  ),
  should(
    'chunk.role',
    onEveryStream(
      {
        states: ['chunk-fields-open'],
        wrong: 'A delta has a role other than assistant.',
        why: 'Clients that validate the role crash on null.',
        fix: 'Set `role`, if sent, to assistant.',
      },
      (expect, stream) => {
        for (const choice of firstChoices(stream)) {
          const delta = at(choice, 'delta')
          const role = isRecord(delta) && 'role' in delta ? delta['role'] : 'assistant'
          expect('role of a delta', role, stream).is('assistant')
        }
      },
    ),
  ),
  should('chunk.finish-reason-once', {
    ...audited(
      {
        states: ['chunk-fields-open'],
        wrong: 'A whole stream has no finish_reason, or more than one.',
        why: 'Clients wait for more without a finish reason, and stop too early with two.',
        fix: 'Set `finish_reason`, if sent, in exactly one chunk, the last, and to null in the others.',
      },
      'stream.answers',
    ),
    // A stream that ends for another request has no finish reason either.
    sameCauseAs: ['concurrency.streams-not-interrupted'],
    async run({ samples, expect, notApplicable, undecidable }) {
      let carried = 0
      let unfinished = 0
      for (const { answer } of await samples.wholeStreams()) {
        // Null without text, as in a keep-alive, does not show that this gateway gives reasons.
        const reasons = firstChoices(answer)
          .filter((choice) => isRecord(choice) && 'finish_reason' in choice)
          .filter((choice) => at(choice, 'finish_reason') !== null || Boolean(at(choice, 'delta', 'content')))
          .map((choice) => at(choice, 'finish_reason'))
        if (reasons.length === 0) continue
        if (!answer.done && reasons.every((reason) => reason === null)) {
          unfinished += 1
          continue
        }
        carried += 1
        expect(
          'finish reasons other than null',
          reasons.filter((reason) => reason !== null),
          answer,
        ).satisfies('exactly one', reasons.filter((reason) => reason !== null).length === 1)
      }
      if (carried > 0) return
      if (unfinished > 0) throw undecidable('no stream reached its [DONE] or a finish_reason')
      throw notApplicable('no chunk carries finish_reason, which the contract leaves open')
    },
  }),
  should(
    'chunk.finish-reason-text',
    onEveryStream(
      {
        states: ['chunk-fields-open'],
        wrong: 'A finish_reason in a chunk is neither null nor a word.',
        why: 'Typed clients fail on a reason that is empty or a number.',
        fix: 'Send `finish_reason`, if at all, as null or a word.',
      },
      (expect, stream) => {
        for (const choice of firstChoices(stream)) {
          const reason = at(choice, 'finish_reason') ?? null
          expect('finish_reason of a chunk', reason, stream).satisfies(
            'null or a word',
            reason === null || (typeof reason === 'string' && reason !== ''),
          )
        }
      },
    ),
  ),
  should(
    'chunk.nothing-after-finish',
    onEveryStream(
      {
        states: ['chunk-fields-open'],
        wrong: 'A stream has text after its finish_reason.',
        why: 'Clients stop reading at the finish reason and lose what follows.',
        fix: 'Send the finish reason with the last fragment or after it.',
        sameCauseAs: ['stream.equals-reply'],
      },
      (expect, stream) => {
        const finished = stream.chunks.findIndex(({ json }) => at(json, 'choices', 0, 'finish_reason') != null)
        const late =
          finished === -1 ? [] : stream.chunks.slice(finished + 1).filter(({ json }) => (fragmentOf(json) ?? '') !== '')
        expect('fragments after the finish reason', late.length, stream).is(0)
      },
    ),
  ),
  should(
    'chunk.no-error-key',
    onEveryChunk(
      {
        states: ['client-libraries-work'],
        wrong: 'A chunk has an error key.',
        why: 'Some clients treat the mere presence of `error` as a failure.',
        fix: 'Leave `error` out of the chunks of a good stream.',
      },
      (expect, chunk, stream) =>
        expect('an error key in a chunk', isRecord(chunk) && 'error' in chunk, stream).is(false),
    ),
  ),
  should('chunk.usage', {
    ...audited(
      {
        states: ['stream-usage-open'],
        wrong: 'The usage in a chunk is malformed or does not add up.',
        why: "Clients compute a wrong cost when a stream's counts are not numbers or do not add up.",
        fix: 'Send `usage`, if not null, as three whole numbers, the third the sum of the others.',
        sameCauseAs: ['usage.total-is-sum'],
      },
      'stream.answers',
    ),
    async run({ samples, expect, notApplicable }) {
      let carried = 0
      for (const { answer } of await samples.streams()) {
        for (const { json } of answer.chunks) {
          const usage = at(json, 'usage')
          if (usage == null) continue
          carried += 1
          expect('schema violations of usage', mismatches(usageSchema, usage), answer).is([])
          const sum = (numberAt(usage, 'prompt_tokens') ?? 0) + (numberAt(usage, 'completion_tokens') ?? 0)
          expect('total_tokens', numberAt(usage, 'total_tokens'), answer).is(sum)
        }
      }
      if (carried === 0) throw notApplicable('no chunk carries usage, which the contract leaves open')
    },
  }),
  should('chunk.ids-unique', {
    ...audited(
      {
        states: ['completion-ids-unique'],
        wrong: 'Two streams share an id.',
        why: 'Teams join logs, caches and billing by the id, and a shared one mixes up streams.',
        fix: 'Generate a fresh id for each reply.',
      },
      'stream.answers',
    ),
    sameCauseAs: ['completion.ids-unique', 'stream.left-reaches-nobody-else'],
    async run(context) {
      const { samples, notApplicable } = context
      const named = (await samples.streams()).flatMap(({ answer }) => {
        const id = textAt(answer.chunks[0]?.json, 'id') ?? ''
        return id === '' ? [] : [{ id, answer }]
      })
      if (named.length < 2) throw notApplicable('fewer than two streams have an id')
      expectDifferentIds(context, 'ids that two streams share', named)
    },
  }),
  should('completion.ids-unique-at-zero', {
    states: ['completion-ids-unique'],
    dependsOn: ['chat.answers', 'stream.answers', 'temperature.in-range-accepted'],
    sameCauseAs: ['chunk.ids-unique'],
    cost: { requests: 4, tokens: 240 },
    wrong: 'Answers to the same request at temperature 0 share an id.',
    why: "Teams join logs by the id, and a cached reply comes with that of somebody else's request.",
    fix: 'Give a cached reply an id of its own.',
    async run({ ask, askStream, expect, nonce, notApplicable }) {
      const body = { messages: [{ role: 'user', content: `Say hello to ${nonce()}.` }], temperature: 0 }
      const replies = [await ask(body), await ask(body)].map(({ json }) => textAt(json, 'id'))
      const streams = [await askStream(body), await askStream(body)].map(({ chunks }) => textAt(chunks[0]?.json, 'id'))
      const ids = [...replies, ...streams].filter((id) => id !== undefined && id !== '')
      if (ids.length < 4) throw notApplicable(`of two replies and two streams, ${4 - ids.length} have no id`)
      expect('different ids among two replies and two streams of one request', new Set(ids).size).is(4)
    },
  }),
  open('chunk.fields', {
    states: ['chunk-fields-open'],
    dependsOn: ['stream.answers'],
    why: 'Clients of the format look for more than the three chunk fields of the contract.',
    fix: 'Nothing to mend: the contract leaves it open.',
    async run({ askStream }) {
      const { chunks } = await askStream({ max_tokens: 16 })
      const names = (values: readonly unknown[]): string[] =>
        [...new Set(values.filter(isRecord).flatMap((value) => Object.keys(value)))].sort()
      const choices = chunks.map(({ json }) => at(json, 'choices', 0))
      return {
        chunk: names(chunks.map(({ json }) => json)),
        choice: names(choices),
        delta: names(choices.map((choice) => at(choice, 'delta'))),
      }
    },
  }),
  open('chunk.usage-sent', {
    states: ['stream-usage-open'],
    dependsOn: ['stream.answers'],
    cost: { requests: 2, tokens: 120 },
    why: 'Clients that need usage from streams want to know whether it comes, asked for or not.',
    fix: 'Nothing to mend: the contract leaves it open.',
    async run({ askStream, probeStream }) {
      const withUsage = (stream: StreamAnswer): number =>
        stream.chunks.filter(({ json }) => at(json, 'usage') != null).length
      return {
        plain: withUsage(await askStream()),
        asked: withUsage(await probeStream({ stream_options: { include_usage: true } })),
      }
    },
  }),
])
