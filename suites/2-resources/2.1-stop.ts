import fc from 'fast-check'
import type { Baseline } from '../../src/check/baseline.ts'
import { clause, must, open, should } from '../../src/check/check.ts'
import type { CheckContext } from '../../src/check/context.ts'
import { type Answer, contentOf, isClientError, isSuccess } from '../../src/target/answer.ts'
import { at } from '../../src/target/json.ts'

const refusesNoStop = {
  why: 'Client libraries send the scalar and the list form alike.',
  fix: 'Accept `stop` as a string and as an array of one to four strings.',
}
const endsAtStop = {
  why: 'Text behind a stop sequence breaks the parser that asked for it, and is billed.',
  fix: 'Search the whole text generated so far, across fragments, and end the reply at the first sequence found.',
}

export const stop = clause('2.1', [
  must('stop.string-accepted', {
    states: ['stop-string-or-array'],
    dependsOn: ['chat.answers'],
    cost: { requests: 4, tokens: 240 },
    ...refusesNoStop,
    async run({ ask, askStream, expect }) {
      for (const sequence of ['###', '\n\n', 'é', '.*', ' ']) {
        const reply = await ask({ stop: sequence })
        expect(`status for stop: ${JSON.stringify(sequence)}`, reply.status, reply).satisfies('a 2xx', isSuccess(reply))
      }
      const stream = await askStream({ stop: '###' })
      expect('status for a string, streaming', stream.status, stream).satisfies('a 2xx', isSuccess(stream))
    },
  }),
  must('stop.array-accepted', {
    states: ['stop-string-or-array'],
    dependsOn: ['chat.answers'],
    cost: { requests: 6, tokens: 360 },
    ...refusesNoStop,
    async run({ ask, askStream, expect }) {
      const four = ['###', '\n\n\n', 'END', '日本']
      for (const count of [1, 2, 3, 4]) {
        const reply = await ask({ stop: four.slice(0, count) })
        expect(`status for ${count} sequences`, reply.status, reply).satisfies('a 2xx', isSuccess(reply))
      }
      const stream = await askStream({ stop: four })
      expect('status for four sequences, streaming', stream.status, stream).satisfies('a 2xx', isSuccess(stream))
    },
  }),
  must('stop.ends-text', {
    states: ['stop-ends-text'],
    dependsOn: ['stop.string-accepted'],
    cost: { requests: 8, tokens: 900 },
    ...endsAtStop,
    async run(context) {
      const baseline = await context.baseline('json')
      for (const sequence of [commonCharacter(context, baseline), ...phrases(baseline)]) await endsReply(context, baseline, sequence, sequence)
    },
  }),
  must('stop.ends-stream', {
    states: ['stop-ends-text'],
    dependsOn: ['stop.string-accepted', 'stream.answers'],
    cost: { requests: 8, tokens: 900 },
    ...endsAtStop,
    async run(context) {
      const baseline = await context.baseline('stream')
      for (const sequence of [commonCharacter(context, baseline), ...phrases(baseline)]) await endsStream(context, baseline, sequence, sequence)
    },
  }),
  must('stop.ends-text-each-model', {
    states: ['stop-ends-text'],
    dependsOn: ['stop.ends-text'],
    cost: { requests: 12, tokens: 1400 },
    ...endsAtStop,
    async run(context) {
      const { ask, prepared, model, expect, undecidable } = context
      const { body } = await context.baseline('json')
      const ids = prepared.roster.length === 0 ? [model] : prepared.roster.slice(0, 6).map(({ id }) => id)
      let decided = 0
      for (const id of ids) {
        const character = commonIn([contentOf(await ask({ ...body, model: id })) ?? ''])
        if (character === undefined) continue
        const reply = await ask({ ...body, model: id, stop: [character] })
        expect(`text of ${id} behind ${JSON.stringify(character)}`, behind(contentOf(reply) ?? '', character), reply).is('')
        decided += 1
      }
      if (decided === 0) throw undecidable('no model says enough for a stop sequence to show')
    },
  }),
  must('stop.every-place-in-list', {
    states: ['stop-ends-text', 'stop-string-or-array'],
    dependsOn: ['stop.ends-text'],
    cost: { requests: 8, tokens: 900 },
    why: 'A gateway that looks at some of the sequences only lets the others pass.',
    fix: 'Search for every sequence of the list.',
    async run(context) {
      const baseline = await context.baseline('json')
      const sequence = commonCharacter(context, baseline)
      for (let place = 0; place < 4; place += 1) {
        const list = ['\u0001a', '\u0001b', '\u0001c', '\u0001d'].with(place, sequence)
        await endsReply(context, baseline, sequence, list)
      }
    },
  }),
  must('stop.every-place-in-list-streaming', {
    states: ['stop-ends-text', 'stop-string-or-array'],
    dependsOn: ['stop.ends-stream'],
    cost: { requests: 8, tokens: 900 },
    why: 'A gateway that looks at some of the sequences only lets the others pass.',
    fix: 'Search for every sequence of the list, in both modes.',
    async run(context) {
      const baseline = await context.baseline('stream')
      const sequence = commonCharacter(context, baseline)
      for (let place = 0; place < 4; place += 1) {
        const list = ['\u0001a', '\u0001b', '\u0001c', '\u0001d'].with(place, sequence)
        await endsStream(context, baseline, sequence, list)
      }
    },
  }),
  must('stop.across-chunks', {
    states: ['stop-ends-text'],
    dependsOn: ['stop.ends-stream'],
    cost: { requests: 10, tokens: 1200 },
    why: 'A search that looks at one fragment at a time misses every sequence that a fragment border cuts.',
    fix: 'Hold back what could be the beginning of a sequence until it is decided.',
    async run(context) {
      const baseline = await context.baseline('stream')
      const { fragments, texts, stable } = baseline
      if (fragments.length < 3 || stable === undefined) throw context.undecidable('the model sends too few fragments, or others each time')
      const sequences = [1, 2, 3].map((nth) => border(fragments, Math.floor((fragments.length * nth) / 4))).filter((one) => one !== undefined)
      if (sequences.length === 0) throw context.undecidable('no border between two fragments has text on both sides')
      for (const sequence of sequences) {
        if (texts.every((text) => text.includes(sequence))) await endsStream(context, baseline, sequence, [sequence])
      }
    },
  }),
  must('stop.own-sequence-per-request', {
    states: ['stop-ends-text'],
    dependsOn: ['stop.ends-text'],
    cost: { requests: 6, tokens: 600 },
    why: 'A reply cache whose key forgets `stop` serves the text of another request.',
    fix: 'Let every field of the request take part in the key of a cache, or keep none.',
    async run(context) {
      const { ask, expect, nonce, undecidable } = context
      const body = { messages: [{ role: 'user', content: `Describe a harbour at night in three sentences (${nonce()}).` }], max_tokens: 48 }
      const first = contentOf(await ask(body)) ?? ''
      const sequence = commonIn([first])
      if (sequence === undefined) throw undecidable('the model says too little for a stop sequence to show')
      const reply = await ask({ ...body, stop: sequence })
      expect(`text behind ${JSON.stringify(sequence)} in the second reply`, behind(contentOf(reply) ?? '', sequence), reply).is('')
    },
  }),
  must('stop.random-ends-text', {
    states: ['stop-ends-text', 'stop-string-or-array'],
    dependsOn: ['stop.ends-text', 'stop.ends-stream', 'stop.array-accepted'],
    phase: 'random',
    cost: { requests: 1, tokens: 120 },
    ...endsAtStop,
    async run(context) {
      const baseline = await context.baseline('json')
      const texts = baseline.texts.filter((text) => text.length > 12)
      const own = texts[0] ?? 'a text of its own'
      const cut = fc.tuple(fc.nat({ max: own.length - 2 }), fc.integer({ min: 1, max: 12 })).map(([start, length]) => own.slice(start, start + length).toWellFormed())
      const sequence = fc.oneof(cut, fc.string({ unit: 'grapheme', minLength: 1, maxLength: 6 }), fc.constantFrom('.', '.*', '[a-z]', '\\', '$', '^', '|', '(', '\t', '"'))
      const values = fc.tuple(fc.array(sequence, { minLength: 1, maxLength: 4 }), fc.boolean())
      await context.property(values, async ([sequences, streamed]) => {
        const given = sequences.filter((one) => one !== '')
        const list = given.length === 1 && given[0] !== undefined && streamed ? given[0] : given
        if (streamed) await endsStream(context, baseline, given, list)
        else await endsReply(context, baseline, given, list)
      })
    },
  }),
  should('stop.sequence-not-included', {
    states: ['stop-sequence-excluded'],
    dependsOn: ['stop.ends-text', 'stop.ends-stream'],
    cost: { requests: 8, tokens: 800 },
    why: 'Parsers expect the text up to the sequence; the format leaves the sequence out.',
    fix: 'Hold a possible beginning of a sequence back until it is decided, and drop it when it was one.',
    async run(context) {
      const { ask, askStream, expect } = context
      const baseline = await context.baseline('json')
      for (const sequence of [commonCharacter(context, baseline), ...phrases(baseline)]) {
        const reply = await ask({ ...baseline.body, stop: [sequence] })
        expect(`the sequence ${JSON.stringify(sequence)} in the text`, (contentOf(reply) ?? '').includes(sequence), reply).is(false)
        const stream = await askStream({ ...baseline.body, stop: [sequence] })
        expect(`the sequence ${JSON.stringify(sequence)} in the stream`, stream.content.includes(sequence), stream).is(false)
      }
    },
  }),
  should('stop.text-is-exact-prefix', {
    states: ['stop-sequence-excluded'],
    dependsOn: ['stop.sequence-not-included'],
    cost: { requests: 10, tokens: 1200 },
    why: 'Half a sequence left in, or text in front of it lost, corrupts the reply.',
    fix: 'Deliver exactly the text in front of the first sequence, whatever the fragments are.',
    async run(context) {
      const { ask, askStream, expect, undecidable } = context
      const { stable, body, fragments } = await context.baseline('stream')
      if (stable === undefined || stable !== (await context.baseline('json')).stable) throw undecidable('the model says something else each time')
      const borders = [0.3, 0.6, 0.8].map((share) => border(fragments, Math.floor(fragments.length * share)))
      const sequences = [...phrases({ texts: [stable] }), ...borders].filter((one) => one !== undefined && one !== '')
      for (const sequence of sequences) {
        const expected = stable.slice(0, stable.indexOf(sequence ?? ''))
        const reply = await ask({ ...body, stop: [sequence] })
        expect(`text in front of ${JSON.stringify(sequence)}`, contentOf(reply), reply).is(expected)
        const stream = await askStream({ ...body, stop: [sequence] })
        expect(`text streamed in front of ${JSON.stringify(sequence)}`, stream.content, stream).is(expected)
      }
    },
  }),
  should('stop.unmatched-changes-nothing', {
    states: ['stop-sequence-excluded'],
    dependsOn: ['stop.string-accepted', 'stream.answers'],
    cost: { requests: 14, tokens: 1600 },
    why: 'Text that only begins like a sequence is held back and has to come out in the end.',
    fix: 'Flush what was held back when the reply ends; compare letters exactly, not as patterns and not by case.',
    async run(context) {
      const { ask, askStream, expect, undecidable } = context
      const { stable, body } = await context.baseline('json')
      const streamed = await context.baseline('stream')
      if (stable === undefined || stable.length < 20 || stable !== streamed.stable) throw undecidable('the model says something else each time, or too little')
      for (const sequence of almost(stable)) {
        const reply = await ask({ ...body, stop: [sequence] })
        expect(`text with the stop sequence ${JSON.stringify(sequence)}, which it does not hold`, contentOf(reply), reply).is(stable)
        const stream = await askStream({ ...body, stop: sequence })
        expect(`text streamed with the stop sequence ${JSON.stringify(sequence)}`, stream.content, stream).is(stable)
      }
    },
  }),
  should('stop.unicode', {
    states: ['stop-ends-text'],
    dependsOn: ['stop.ends-text'],
    cost: { requests: 4, tokens: 400 },
    why: 'Sequences outside ASCII are compared by bytes here and by code units there.',
    fix: 'Compare text with text, by code points.',
    async run({ ask, askStream, expect, undecidable }) {
      const body = { messages: [{ role: 'user', content: 'Repeat exactly: Zoë 日本語 привет 👩‍💻 ende' }], max_tokens: 64 }
      const text = contentOf(await ask(body)) ?? ''
      const sequences = ['本', 'ë', 'ив', '👩‍💻'].filter((one) => text.includes(one) && behind(text, one).length > 4)
      if (sequences.length === 0) throw undecidable('the model does not repeat what is outside ASCII')
      for (const sequence of sequences) {
        const reply = await ask({ ...body, stop: [sequence] })
        expect(`text behind ${sequence}`, behind(contentOf(reply) ?? '', sequence), reply).is('')
        const stream = await askStream({ ...body, stop: [sequence] })
        expect(`text streamed behind ${sequence}`, behind(stream.content, sequence), stream).is('')
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
      const baseline = await context.baseline('json')
      const sequence = commonCharacter(context, baseline)
      const reply = await context.ask({ ...baseline.body, stop: [sequence] })
      context.expect('finish_reason of a reply that a sequence ended', at(reply.json, 'choices', 0, 'finish_reason'), reply).isNot('length')
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
        expect(`status for stop: ${JSON.stringify(value)}`, answer.status, answer).satisfies('a 4xx', isClientError(answer))
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
      for (const value of [null, '', [], [''], ['a', ''], ['1', '2', '3', '4', '5'], Array.from({ length: 40 }, (_, n) => `s${n}`), 'x'.repeat(5000)]) {
        const answer = await probe({ stop: value })
        const graceful = isSuccess(answer) || isClientError(answer)
        expect(`status for stop: ${JSON.stringify(value).slice(0, 60)}`, answer.status, answer).satisfies('2xx or 4xx', graceful)
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
      const forms = { null: null, 'empty string': '', 'empty list': [], 'list with an empty string': [''], 'five sequences': ['1', '2', '3', '4', '5'] }
      const seen: Record<string, number | undefined> = {}
      for (const [name, value] of Object.entries(forms)) seen[name] = (await probe({ stop: value })).status
      return seen
    },
  }),
])

/** Holds that no text goes on behind any of the sequences. Sound whatever the model says: it needs no determinism. */
async function endsReply({ ask, expect }: CheckContext, { body }: Baseline, sequences: string | readonly string[], value: unknown): Promise<void> {
  const reply: Answer = await ask({ ...body, stop: value })
  const text = contentOf(reply) ?? ''
  for (const one of [sequences].flat()) expect(`text behind the stop sequence ${JSON.stringify(one)}`, behind(text, one), reply).is('')
}

async function endsStream({ askStream, expect }: CheckContext, { body }: Baseline, sequences: string | readonly string[], value: unknown): Promise<void> {
  const stream = await askStream({ ...body, stop: value })
  for (const one of [sequences].flat()) expect(`text streamed behind the stop sequence ${JSON.stringify(one)}`, behind(stream.content, one), stream).is('')
}

/** What follows the first occurrence of a sequence; nothing where it does not occur. */
function behind(text: string, sequence: string): string {
  const found = text.indexOf(sequence)
  return found === -1 ? '' : text.slice(found + sequence.length)
}

function commonCharacter({ undecidable }: CheckContext, { texts }: Baseline): string {
  const character = commonIn(texts)
  if (character === undefined) throw undecidable('the model says too little for a stop sequence to show')
  return character
}

/** A character that every text holds with enough text behind it for a gateway that ignores `stop` to be seen. */
function commonIn(texts: readonly string[]): string | undefined {
  if (texts.length === 0) return undefined
  return [' ', ...'etaoinshr.,'].find((character) => texts.every((text) => behind(text, character).length >= 8))
}

/** Sequences of several words from the middle of a text, each there in every text. */
function phrases({ texts }: Pick<Baseline, 'texts'>): string[] {
  const [text = ''] = texts
  const words = [...text.matchAll(/\S+\s+\S+/g)].map(([phrase]) => phrase)
  const chosen = [words[Math.floor(words.length / 2)], words[Math.floor(words.length / 4)]?.slice(1, -1)]
  return chosen.filter((one) => one !== undefined && one.length > 2 && texts.every((other) => behind(other, one).length > 0)) as string[]
}

/** Two characters on each side of the border behind a fragment. */
function border(fragments: readonly string[], index: number): string | undefined {
  const left = fragments[index]?.slice(-2) ?? ''
  const right = fragments[index + 1]?.slice(0, 2) ?? ''
  return left === '' || right === '' ? undefined : (left + right).toWellFormed()
}

/** Sequences that a text does not hold, though a careless search finds them: a tail and more, another case, patterns. */
function almost(text: string): string[] {
  const word = /[a-z]{4,}/.exec(text)?.[0]?.toUpperCase()
  const middle = Math.floor(text.length / 2)
  return [
    `${text.slice(-4)}\u0001`,
    `${text.slice(-1)}\u0001`,
    `${text.slice(middle, middle + 5)}\u0001`,
    word,
    '[a-z]+',
    '.*',
    '\u0001',
  ].filter((one) => one !== undefined && !text.includes(one)) as string[]
}
