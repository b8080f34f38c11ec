import { baselineOf, whyUnstable } from '../../src/asking/baseline.ts'
import { holdExpectedText } from '../../src/asking/expected-text.ts'
import {
  border,
  commonCharacter,
  earlyMisses,
  holdUncut,
  nearMisses,
  phrases,
  textAfter,
} from '../../src/asking/stop-text.ts'
import { clause, open, should } from '../../src/check/check.ts'
import { at } from '../../src/json.ts'
import { finding } from '../../src/repeat/repeat.ts'
import { rules } from '../../src/repeat/rules.ts'
import { sideBySide } from '../../src/repeat/side-by-side.ts'
import { contentOf, finishReasonOf } from '../../src/target/answer.ts'

export const stopText = clause('2.1', [
  should('stop.sequence-not-included', {
    states: ['stop-sequence-excluded'],
    dependsOn: ['stop.every-place-in-list', 'stop.every-place-in-list-streaming'],
    cost: { requests: 16, tokens: 1600, quick: 12 },
    wrong: 'A reply or a stream includes its stop sequence.',
    why: 'Clients that parse the text up to the sequence stumble over the sequence itself.',
    fix: 'Hold back a possible beginning of a sequence until it is decided, and drop it if it was one.',
    async run(context) {
      const { ask, askStream, expect } = context
      const baseline = await baselineOf(context, 'json')
      const sequences = [commonCharacter(context, baseline), ...phrases(baseline)]
      const lists = sequences.flatMap((sequence) => [[sequence], ['\u0001never', sequence]])
      await sideBySide(lists, async (stop) => {
        const shown = JSON.stringify(stop)
        const sequence = stop.at(-1) ?? ''
        const reply = await ask({ ...baseline.body, stop })
        const isInReply = (contentOf(reply) ?? '').includes(sequence)
        expect(`whether the text holds the sequence of ${shown}`, isInReply, reply).is(false)
        const stream = await askStream({ ...baseline.body, stop })
        expect(`whether the stream holds the sequence of ${shown}`, stream.content.includes(sequence), stream).is(false)
      })
    },
  }),
  should('stop.text-is-exact-prefix', {
    states: ['stop-sequence-excluded'],
    dependsOn: ['stop.sequence-not-included', 'stop.across-chunks'],
    // An empty text that comes as null is what that one reports.
    sameCauseAs: ['completion.content'],
    cost: { requests: 16, tokens: 1400 },
    wrong: 'A text with a stop sequence is not exactly what stands before it.',
    why: "Half a sequence left in, or text lost before it, corrupts the client's reply.",
    fix: 'Deliver exactly the text before the first sequence, however it is fragmented.',
    async run(context) {
      const { undecidable } = context
      const baseline = await baselineOf(context, 'stream')
      const { stable, body, fragments } = baseline
      if (stable === undefined) throw undecidable(whyUnstable(baseline))
      if (stable !== (await baselineOf(context, 'json')).stable)
        throw undecidable('the model says something else in streams than in replies')
      const borders = [0.3, 0.6, 0.8].map((share) => border(fragments, Math.floor(fragments.length * share)))
      // White space around a sequence is part of it.
      const padded = / [a-z]{3,} /.exec(stable.slice(Math.floor(stable.length / 2)))?.[0]
      const inside = /[a-z]{5,}/.exec(stable.slice(Math.floor(stable.length / 3)))?.[0].slice(2)
      // The text before its own beginning is empty, but still a string.
      const beginning = Array.from(stable).slice(0, 4).join('')
      const sequences = [...phrases({ texts: [stable] }), ...borders, padded, inside, beginning].filter(
        (one) => one !== undefined && one !== '',
      )
      await sideBySide(sequences, async (sequence) => {
        const expected = stable.slice(0, stable.indexOf(sequence ?? ''))
        const predictable = { body, plain: stable, change: { stop: [sequence] }, expected }
        const shown = JSON.stringify(sequence)
        await holdExpectedText(context, 'json', { what: `text before ${shown}`, ...predictable })
        await holdExpectedText(context, 'stream', { what: `text streamed before ${shown}`, ...predictable })
      })
    },
  }),
  should('stop.at-the-end', {
    states: ['stop-sequence-excluded'],
    dependsOn: ['stop.text-is-exact-prefix'],
    cost: { requests: 3, tokens: 600 },
    wrong: 'The text before a stop sequence at its very end did not come back exactly.',
    why: 'Clients see a sequence at the very end of a reply when the last text is flushed without a search.',
    fix: 'Search what is held back for a sequence before flushing it.',
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
        throw undecidable('the model repeats no reply that it ends by itself')
      const predictable = { body: long, plain: text, change: { stop: [end] }, expected: front }
      await holdExpectedText(context, 'json', { what: 'text before a sequence at its very end', ...predictable })
      await holdExpectedText(context, 'stream', {
        what: 'text streamed before a sequence at its very end',
        ...predictable,
      })
    },
  }),
  should('stop.unmatched-changes-nothing', {
    states: ['stop-sequence-excluded'],
    dependsOn: ['stop.string-accepted', 'stop.array-accepted', 'stream.answers'],
    cost: { requests: 20, tokens: 2050, quick: 4 },
    wrong: 'With a stop sequence that it does not contain, a text came out changed or short.',
    why: 'Clients lose text that only begins like a sequence when it is held back and never sent.',
    fix: 'Flush what was held back when the reply ends, and compare text exactly: case counts, and nothing is a pattern.',
    async run(context) {
      const { few, undecidable } = context
      const baseline = await baselineOf(context, 'json')
      const { stable, body } = baseline
      const streamed = await baselineOf(context, 'stream')
      if (stable === undefined || stable !== streamed.stable) {
        for (const sequence of earlyMisses([...baseline.texts, ...streamed.texts])) {
          await holdUncut(context, 'json', baseline, sequence)
          await holdUncut(context, 'stream', streamed, sequence)
        }
        return
      }
      if (stable.length < 20) throw undecidable('the model says too little')
      const predictable = { body, plain: stable, expected: stable }
      const misses = nearMisses(stable)
      // The first and the last, which a quick run asks, have all of them.
      await sideBySide(few([misses.slice(0, 4), ...misses, misses.slice(4)]), async (stop) => {
        const shown = `stop: ${JSON.stringify(stop)}, of which the text contains nothing`
        await holdExpectedText(context, 'json', {
          what: `text with ${shown}`,
          change: { stop: [stop].flat() },
          ...predictable,
        })
        await holdExpectedText(context, 'stream', {
          what: `text streamed with ${shown}`,
          change: { stop },
          ...predictable,
        })
      })
    },
  }),
  should('stop.unicode', {
    states: ['stop-ends-text'],
    phase: 'odd',
    dependsOn: ['stop.ends-text', 'stop.ends-stream'],
    cost: { requests: 10, tokens: 1000 },
    wrong: 'A text went on after a stop sequence outside ASCII.',
    why: 'Clients that stop at text outside ASCII get too much when bytes are compared with code units.',
    fix: 'Compare text with text, by code points.',
    async run({ ask, askStream, expect, undecidable }) {
      const body = {
        messages: [{ role: 'user', content: 'Repeat exactly: Zoë 日本語 привет 👩‍💻 ende' }],
        max_tokens: 64,
      }
      const texts = [contentOf(await ask(body)) ?? '', contentOf(await ask(body)) ?? '']
      const sequences = ['本', 'ë', 'ив', '👩‍💻'].filter((one) =>
        texts.every((text) => textAfter(text, one).length > 4),
      )
      if (sequences.length === 0) throw undecidable('the model does not repeat text outside ASCII')
      for (const sequence of sequences) {
        const reply = await ask({ ...body, stop: [sequence] })
        expect(`text after ${sequence}`, textAfter(contentOf(reply) ?? '', sequence), reply).is('')
        const stream = await askStream({ ...body, stop: [sequence] })
        expect(`text streamed after ${sequence}`, textAfter(stream.content, sequence), stream).is('')
      }
    },
  }),
  should('stop.finish-reason', {
    states: ['finish-reason-stop'],
    dependsOn: ['stop.ends-text'],
    cost: { requests: 4, tokens: 300, quick: 1 },
    wrong: 'A reply ended by a stop sequence says finish_reason length.',
    why: 'Clients ask for more when a reply that a sequence ended says `length`.',
    fix: 'Say `stop` when a sequence ended the reply.',
    async run(context) {
      const { ask, expect, undecidable } = context
      const baseline = await baselineOf(context, 'json')
      const sequence = commonCharacter(context, baseline)
      let reply = await ask({ ...baseline.body, stop: [sequence] })
      // A model that varies may find no use for the sequence this time, and say `length` rightly.
      const found = await finding(
        rules.stopOverlooked,
        async (turn) => {
          if (turn > 0) reply = await ask({ ...baseline.body, stop: [sequence] })
          return finishReasonOf(reply) === 'length'
        },
        async () => !(contentOf(await ask(baseline.body)) ?? '').includes(sequence),
      )
      if (found === 'chance') throw undecidable('the model does not write the sequence each time')
      expect('finish_reason of a reply ended by a sequence', finishReasonOf(reply), reply).isNot('length')
    },
  }),
  should('stop.wrong-type-refused', {
    states: ['wrong-types-are-refused'],
    phase: 'odd',
    dependsOn: ['chat.answers'],
    // Whoever does not read the field refuses nothing in it.
    sameCauseAs: ['stop.ends-text'],
    cost: { requests: 9, tokens: 60, quick: 2 },
    wrong: 'A stop that is neither text nor a list of texts was not refused with a 4xx.',
    why: 'A client whose sequence is silently coerced or dropped pays for text that it wanted to stop.',
    fix: 'Refuse a `stop` that is neither a string nor an array of strings with a 4xx.',
    async run({ few, probe, expect }) {
      await sideBySide(few([5, true, {}, [5], [null], [['a']], ['a', 5], [{}], ['a', 'b', 7]]), async (value) => {
        const answer = await probe({ stop: value })
        expect(`status for stop: ${JSON.stringify(value)}`, answer.status, answer).isStatus('4xx')
      })
    },
  }),
  should('stop.odd-forms-no-server-error', {
    states: ['client-errors-are-4xx'],
    phase: 'odd',
    dependsOn: ['chat.answers'],
    cost: { requests: 8, tokens: 420 },
    wrong: 'An odd stop, such as an empty list, got neither a 2xx nor a 4xx.',
    why: 'Frameworks send null and empty lists for unset fields, and their users cannot change that.',
    fix: 'Ignore an empty `stop`, or refuse it with a 4xx.',
    async run({ probe, expect }) {
      const values = [
        null,
        '',
        [],
        [''],
        ['a', ''],
        ['1', '2', '3', '4', '5'],
        Array.from({ length: 40 }, (_, n) => `s${n}`),
        'x'.repeat(5000),
      ]
      await sideBySide(values, async (value) => {
        const answer = await probe({ stop: value })
        expect(`status for stop: ${JSON.stringify(value).slice(0, 60)}`, answer.status, answer).isStatus('2xx', '4xx')
      })
    },
  }),
  open('stop.odd-forms', {
    states: ['stop-odd-forms-open'],
    phase: 'odd',
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
