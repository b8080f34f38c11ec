import { baselineOf } from '../../src/asking/baseline.ts'
import { holdExpectedText } from '../../src/asking/expected-text.ts'
import { border, commonCharacter, nearMisses, phrases, textAfter } from '../../src/asking/stop-text.ts'
import { clause, open, should } from '../../src/check/check.ts'
import { at } from '../../src/json.ts'
import { contentOf, isClientError, isSuccess } from '../../src/target/answer.ts'

export const stopText = clause('2.1', [
  should('stop.sequence-not-included', {
    states: ['stop-sequence-excluded'],
    dependsOn: ['stop.every-place-in-list', 'stop.every-place-in-list-streaming'],
    cost: { requests: 16, tokens: 1600 },
    why: 'Parsers expect the text up to the sequence; the format leaves the sequence out.',
    fix: 'Hold a possible beginning of a sequence back until it is decided, and drop it when it was one.',
    async run(context) {
      const { ask, askStream, expect } = context
      const baseline = await baselineOf(context, 'json')
      for (const sequence of [commonCharacter(context, baseline), ...phrases(baseline)])
        for (const stop of [[sequence], ['\u0001never', sequence]]) {
          const shown = JSON.stringify(stop)
          const reply = await ask({ ...baseline.body, stop })
          const isInReply = (contentOf(reply) ?? '').includes(sequence)
          expect(`whether the text holds the sequence of ${shown}`, isInReply, reply).is(false)
          const stream = await askStream({ ...baseline.body, stop })
          expect(`whether the stream holds the sequence of ${shown}`, stream.content.includes(sequence), stream).is(
            false,
          )
        }
    },
  }),
  should('stop.text-is-exact-prefix', {
    states: ['stop-sequence-excluded'],
    dependsOn: ['stop.sequence-not-included', 'stop.across-chunks'],
    cost: { requests: 14, tokens: 1400 },
    why: 'Half a sequence left in, or text in front of it lost, corrupts the reply.',
    fix: 'Deliver exactly the text in front of the first sequence, whatever the fragments are.',
    async run(context) {
      const { undecidable } = context
      const { stable, body, fragments } = await baselineOf(context, 'stream')
      if (stable === undefined || stable !== (await baselineOf(context, 'json')).stable)
        throw undecidable('the model says something else each time')
      const borders = [0.3, 0.6, 0.8].map((share) => border(fragments, Math.floor(fragments.length * share)))
      // White space around a sequence belongs to it.
      const padded = / [a-z]{3,} /.exec(stable.slice(Math.floor(stable.length / 2)))?.[0]
      const inside = /[a-z]{5,}/.exec(stable.slice(Math.floor(stable.length / 3)))?.[0].slice(2)
      // In front of its own beginning a text is empty, which is a string all the same.
      const beginning = Array.from(stable).slice(0, 4).join('')
      const sequences = [...phrases({ texts: [stable] }), ...borders, padded, inside, beginning].filter(
        (one) => one !== undefined && one !== '',
      )
      for (const sequence of sequences) {
        const expected = stable.slice(0, stable.indexOf(sequence ?? ''))
        const foretold = { body, plain: stable, change: { stop: [sequence] }, expected }
        const shown = JSON.stringify(sequence)
        await holdExpectedText(context, 'json', { what: `text in front of ${shown}`, ...foretold })
        await holdExpectedText(context, 'stream', { what: `text streamed in front of ${shown}`, ...foretold })
      }
    },
  }),
  should('stop.at-the-end', {
    states: ['stop-sequence-excluded'],
    dependsOn: ['stop.text-is-exact-prefix'],
    cost: { requests: 3, tokens: 400 },
    why: 'A sequence that is the end of the reply comes when there is nothing left to wait for, and is passed on.',
    fix: 'Look for a sequence in what is held back before you flush it.',
    async run(context) {
      const { ask, undecidable } = context
      const { stable, body } = await baselineOf(context, 'json')
      const long = { ...body, max_tokens: 400 }
      const whole = await ask(long)
      const text = contentOf(whole) ?? ''
      const end = text.slice(-10).trimStart()
      const front = text.slice(0, text.length - end.length)
      const isOwnEnd = at(whole.json, 'choices', 0, 'finish_reason') === 'stop' && text.indexOf(end) === front.length
      if (stable === undefined || stable.length < 20 || !text.startsWith(stable) || !isOwnEnd)
        throw undecidable('the model ends no reply by itself that it says again')
      const foretold = { body: long, plain: text, change: { stop: [end] }, expected: front }
      await holdExpectedText(context, 'json', { what: 'text in front of a sequence that ends it', ...foretold })
      await holdExpectedText(context, 'stream', {
        what: 'text streamed in front of a sequence that ends it',
        ...foretold,
      })
    },
  }),
  should('stop.unmatched-changes-nothing', {
    states: ['stop-sequence-excluded'],
    dependsOn: ['stop.string-accepted', 'stop.array-accepted', 'stream.answers'],
    cost: { requests: 14, tokens: 1600 },
    why: 'Text that only begins like a sequence is held back and has to come out in the end.',
    fix: 'Flush what was held back when the reply ends; compare letters exactly, not as patterns and not by case.',
    async run(context) {
      const { undecidable } = context
      const { stable, body } = await baselineOf(context, 'json')
      const streamed = await baselineOf(context, 'stream')
      if (stable === undefined || stable.length < 20 || stable !== streamed.stable)
        throw undecidable('the model says something else each time, or too little')
      for (const sequence of nearMisses(stable)) {
        const foretold = { body, plain: stable, expected: stable }
        const shown = `${JSON.stringify(sequence)}, which it does not hold`
        await holdExpectedText(context, 'json', {
          what: `text with the stop sequence ${shown}`,
          change: { stop: [sequence] },
          ...foretold,
        })
        await holdExpectedText(context, 'stream', {
          what: `text streamed with the stop sequence ${shown}`,
          change: { stop: sequence },
          ...foretold,
        })
      }
    },
  }),
  should('stop.unicode', {
    states: ['stop-ends-text'],
    dependsOn: ['stop.ends-text', 'stop.ends-stream'],
    cost: { requests: 4, tokens: 400 },
    why: 'Sequences outside ASCII are compared by bytes here and by code units there.',
    fix: 'Compare text with text, by code points.',
    async run({ ask, askStream, expect, undecidable }) {
      const body = {
        messages: [{ role: 'user', content: 'Repeat exactly: Zoë 日本語 привет 👩‍💻 ende' }],
        max_tokens: 64,
      }
      const text = contentOf(await ask(body)) ?? ''
      const sequences = ['本', 'ë', 'ив', '👩‍💻'].filter((one) => text.includes(one) && textAfter(text, one).length > 4)
      if (sequences.length === 0) throw undecidable('the model does not repeat what is outside ASCII')
      for (const sequence of sequences) {
        const reply = await ask({ ...body, stop: [sequence] })
        expect(`text behind ${sequence}`, textAfter(contentOf(reply) ?? '', sequence), reply).is('')
        const stream = await askStream({ ...body, stop: [sequence] })
        expect(`text streamed behind ${sequence}`, textAfter(stream.content, sequence), stream).is('')
      }
    },
  }),
  should('stop.finish-reason', {
    states: ['finish-reason-stop'],
    dependsOn: ['stop.ends-text'],
    cost: { requests: 4, tokens: 300 },
    why: 'A reply that a sequence ended is whole; `length` makes clients ask for more.',
    fix: 'Say `stop` where a sequence ended the reply.',
    async run(context) {
      const baseline = await baselineOf(context, 'json')
      const sequence = commonCharacter(context, baseline)
      const reply = await context.ask({ ...baseline.body, stop: [sequence] })
      context
        .expect('finish_reason of a reply that a sequence ended', at(reply.json, 'choices', 0, 'finish_reason'), reply)
        .isNot('length')
    },
  }),
  should('stop.wrong-type-refused', {
    states: ['wrong-types-are-refused'],
    dependsOn: ['chat.answers'],
    cost: { requests: 8, tokens: 480 },
    why: 'A sequence that is coerced or dropped in silence does not stop what it should.',
    fix: 'Refuse a `stop` that is neither a string nor an array of strings with a 4xx.',
    async run({ probe, expect }) {
      for (const value of [5, true, {}, [5], [null], [['a']], ['a', 5], [{}], ['a', 'b', 7]]) {
        const answer = await probe({ stop: value })
        expect(`status for stop: ${JSON.stringify(value)}`, answer.status, answer).satisfies(
          'a 4xx',
          isClientError(answer),
        )
      }
    },
  }),
  should('stop.odd-forms-no-server-error', {
    states: ['client-errors-are-4xx'],
    dependsOn: ['chat.answers'],
    cost: { requests: 7, tokens: 420 },
    why: 'Frameworks send null and empty lists for what was not set.',
    fix: 'Ignore an empty `stop`, or refuse it with a 4xx.',
    async run({ probe, expect }) {
      for (const value of [
        null,
        '',
        [],
        [''],
        ['a', ''],
        ['1', '2', '3', '4', '5'],
        Array.from({ length: 40 }, (_, n) => `s${n}`),
        'x'.repeat(5000),
      ]) {
        const answer = await probe({ stop: value })
        const graceful = isSuccess(answer) || isClientError(answer)
        expect(`status for stop: ${JSON.stringify(value).slice(0, 60)}`, answer.status, answer).satisfies(
          '2xx or 4xx',
          graceful,
        )
      }
    },
  }),
  open('stop.odd-forms', {
    states: ['stop-odd-forms-open'],
    dependsOn: ['chat.answers'],
    cost: { requests: 5, tokens: 300 },
    why: 'The contract names neither a number of sequences nor the meaning of an empty one.',
    fix: 'Nothing to mend: the contract leaves it open.',
    async run({ probe }) {
      const forms = {
        null: null,
        'empty string': '',
        'empty list': [],
        'list with an empty string': [''],
        'five sequences': ['1', '2', '3', '4', '5'],
      }
      const seen: Record<string, number | undefined> = {}
      for (const [name, value] of Object.entries(forms)) seen[name] = (await probe({ stop: value })).status
      return seen
    },
  }),
])
