import fc from 'fast-check'
import { baselineOf } from '../../src/asking/baseline.ts'
import {
  afterDoubled,
  border,
  commonBorders,
  commonCharacter,
  commonIn,
  commonPiece,
  endsReply,
  endsStream,
  phrases,
  textAfter,
} from '../../src/asking/stop-text.ts'
import { clause, must } from '../../src/check/check.ts'
import { inTurn } from '../../src/repeat/repeat.ts'
import { sideBySide } from '../../src/repeat/side-by-side.ts'
import { contentOf } from '../../src/target/answer.ts'

const refusesNoStop = {
  coversNoReply: true,
  why: 'Client libraries send both forms, and users of a refused one cannot stop a reply.',
  fix: 'Accept `stop` as a string and as an array of one to four strings.',
}
const endsAtStop = {
  why: "Text after a stop sequence breaks the client's parser, and is billed.",
  fix: 'Search the whole text generated so far, across fragments, and end the reply at the first sequence found.',
}

export const stop = clause('2.1', [
  must('stop.string-accepted', {
    states: ['stop-string-or-array'],
    phase: 'early',
    dependsOn: ['chat.answers'],
    cost: { requests: 6, tokens: 240, quick: 3 },
    wrong: 'A stop sequence given as a string was not accepted.',
    ...refusesNoStop,
    async run({ few, ask, askStream, prepared, expect }) {
      await sideBySide(few(['###', '\n\n', 'é', '.*', ' ']), async (sequence) => {
        const reply = await ask({ stop: sequence })
        expect(`status for stop: ${JSON.stringify(sequence)}`, reply.status, reply).isStatus('2xx')
      })
      if (!prepared.works.stream) return
      const stream = await askStream({ stop: '###' })
      expect('status for a string, streaming', stream.status, stream).isStatus('2xx')
    },
  }),
  must('stop.array-accepted', {
    states: ['stop-string-or-array'],
    phase: 'early',
    dependsOn: ['chat.answers'],
    cost: { requests: 7, tokens: 420, quick: 4 },
    wrong: 'A list of one to four stop sequences was not accepted.',
    ...refusesNoStop,
    async run({ few, ask, askStream, prepared, expect }) {
      const four = ['###', '\n\n\n', 'END', '日本']
      for (const list of [['###', '###'], ...few([1, 2, 3, 4]).map((count) => four.slice(0, count))]) {
        const reply = await ask({ stop: list })
        expect(`status for stop: ${JSON.stringify(list)}`, reply.status, reply).isStatus('2xx')
      }
      if (!prepared.works.stream) return
      const stream = await askStream({ stop: four })
      expect('status for four sequences, streaming', stream.status, stream).isStatus('2xx')
    },
  }),
  must('stop.ends-text', {
    states: ['stop-ends-text'],
    phase: 'early',
    dependsOn: ['stop.string-accepted', 'stop.array-accepted', 'temperature.in-range-accepted'],
    cost: { requests: 10, tokens: 1100, quick: 5 },
    wrong: 'A reply went on after a stop sequence.',
    ...endsAtStop,
    async run(context) {
      const baseline = await baselineOf(context, 'json')
      for (const sequence of [commonCharacter(context, baseline), ...phrases(baseline)])
        await endsReply(context, baseline, sequence, sequence)
      // What stays the same from one request to the next is what a cache keeps.
      const [phrase] = phrases(baseline)
      if (phrase === undefined) return
      const body = { ...baseline.body, temperature: 0 }
      await context.ask(body)
      await endsReply(context, { body }, phrase, phrase)
    },
  }),
  must('stop.ends-stream', {
    states: ['stop-ends-text'],
    phase: 'early',
    dependsOn: ['stop.ends-text', 'stop.string-accepted', 'stop.array-accepted', 'stream.answers'],
    cost: { requests: 8, tokens: 900, quick: 3 },
    wrong: 'A stream went on after a stop sequence.',
    ...endsAtStop,
    async run(context) {
      const baseline = await baselineOf(context, 'stream')
      for (const sequence of [commonCharacter(context, baseline), ...phrases(baseline)])
        await endsStream(context, baseline, sequence, sequence)
    },
  }),
  must('stop.ends-text-each-model', {
    states: ['stop-ends-text'],
    dependsOn: ['stop.ends-text', 'stop.ends-stream', 'stream.model-each'],
    cost: { requests: 24, tokens: 1900, quick: 8 },
    wrong: 'A model went on after a stop sequence.',
    ...endsAtStop,
    async run(context) {
      const { few, ask, askStream, prepared, model, expect, undecidable } = context
      const { body } = await baselineOf(context, 'json')
      const ids = prepared.roster.length === 0 ? [model] : prepared.roster.slice(0, 6).map(({ id }) => id)
      let decided = 0
      await sideBySide(few(ids), async (id) => {
        const plain = [await ask({ ...body, model: id }), await ask({ ...body, model: id })]
        const character = commonIn(plain.map((reply) => contentOf(reply) ?? ''))
        if (character === undefined) return
        const shown = JSON.stringify(character)
        const reply = await ask({ ...body, model: id, stop: [character] })
        expect(`text of ${id} after ${shown}`, textAfter(contentOf(reply) ?? '', character), reply).is('')
        const stream = await askStream({ ...body, model: id, stop: [character] })
        expect(`text streamed by ${id} after ${shown}`, textAfter(stream.content, character), stream).is('')
        decided += 1
      })
      if (decided === 0) throw undecidable('no model says enough for a stop sequence to show')
    },
  }),
  must('stop.every-place-in-list', {
    states: ['stop-ends-text', 'stop-string-or-array'],
    dependsOn: ['stop.ends-text'],
    cost: { requests: 8, tokens: 900, quick: 4 },
    wrong: 'A reply went on after one of several stop sequences.',
    why: 'Clients get text past their stop when a gateway looks at only some of the sequences.',
    fix: 'Search for every sequence of the list.',
    async run(context) {
      const baseline = await baselineOf(context, 'json')
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
    cost: { requests: 8, tokens: 900, quick: 4 },
    wrong: 'A stream went on after one of several stop sequences.',
    why: 'Clients get text past their stop when a gateway looks at only some of the sequences.',
    fix: 'Search for every sequence of the list, in both modes.',
    async run(context) {
      const baseline = await baselineOf(context, 'stream')
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
    sameCauseAs: ['stream.equals-reply'],
    cost: { requests: 10, tokens: 1200, quick: 3 },
    wrong: 'A stream went on after a stop sequence at the border of two fragments.',
    why: 'Clients get text past their stop when a search of single fragments misses a sequence that spans two.',
    fix: 'Hold back what could be the beginning of a sequence until it is decided.',
    async run(context) {
      const baseline = await baselineOf(context, 'stream')
      const { fragments, texts, stable } = baseline
      if (fragments.length < 3) throw context.undecidable('the model sends too few fragments')
      const sequences =
        stable === undefined
          ? commonBorders(baseline).slice(0, 3)
          : [1, 2, 3]
              .map((nth) => border(fragments, Math.floor((fragments.length * nth) / 4)))
              .filter((one) => one !== undefined && texts.every((text) => text.includes(one)))
      if (sequences.length === 0) throw context.undecidable('the texts have no border between two fragments in common')
      for (const one of sequences) if (one !== undefined) await endsStream(context, baseline, one, [one])
    },
  }),
  must('stop.long-sequences', {
    states: ['stop-ends-text'],
    dependsOn: ['stop.ends-text', 'stop.ends-stream'],
    cost: { requests: 6, tokens: 700 },
    wrong: 'A text went on after a long stop sequence.',
    why: 'Clients get text past a long sequence when the search buffer is shorter than it.',
    fix: 'Hold back as much as the longest sequence of the request needs.',
    async run(context) {
      const { texts } = await baselineOf(context, 'json')
      const baseline = await baselineOf(context, 'stream')
      const sequences = [36, 70, 140]
        .map((length) => commonPiece([...texts, ...baseline.texts], length))
        .filter((piece) => piece !== undefined)
      if (sequences.length === 0) throw context.undecidable('the texts of the model have no long piece in common')
      for (const sequence of sequences) {
        await endsReply(context, baseline, sequence, [sequence])
        await endsStream(context, baseline, sequence, [sequence])
      }
    },
  }),
  must('stop.repeated-letters', {
    states: ['stop-ends-text'],
    phase: 'odd',
    dependsOn: ['stop.ends-text', 'stop.ends-stream'],
    cost: { requests: 8, tokens: 800 },
    wrong: 'A text went on after a stop sequence that begins inside a doubled letter.',
    why: 'Clients get text past their stop when a search that never backtracks misses "lo" in "hello".',
    fix: 'Start a comparison at every letter.',
    async run(context) {
      const { ask, undecidable } = context
      const messages = [
        { role: 'user', content: 'Repeat exactly: hello, tomorrow the coffee will be aaab. Then go on.' },
      ]
      const body = { messages, max_tokens: 64 }
      const found = (await inTurn(4, () => ask(body))).map((reply) => afterDoubled(contentOf(reply) ?? ''))
      // One that a model says once proves nothing when it is not said again.
      const doubled = found.flat().filter((one) => found.filter((others) => others.includes(one)).length >= 2)
      if (doubled.length === 0) throw undecidable('the model does not say the same word with a doubled letter twice')
      for (const sequence of [...new Set(doubled)].slice(0, 2)) {
        await endsReply(context, { body }, sequence, [sequence])
        await endsStream(context, { body }, sequence, sequence)
      }
    },
  }),
  must('stop.late-in-text', {
    states: ['stop-ends-text'],
    phase: 'odd',
    dependsOn: ['stop.ends-text', 'stop.ends-stream'],
    cost: { requests: 4, tokens: 1600 },
    wrong: 'A text went on after a stop sequence far from its beginning.',
    why: 'Clients pay for the rest of a long reply when the search for their sequence gives up early.',
    fix: 'Search to the end, however long the reply is.',
    async run(context) {
      const { ask, undecidable } = context
      const messages = [{ role: 'user', content: 'Tell the story of a lighthouse in 300 words.' }]
      const body = { messages, max_tokens: 400 }
      const [text, again] = [contentOf(await ask(body)) ?? '', contentOf(await ask(body)) ?? '']
      const piece = text.slice(1200, 1216)
      if (piece.length < 16 || !piece.isWellFormed() || text.indexOf(piece) < 1000)
        throw undecidable('the model says too little for a late stop sequence')
      if (again.indexOf(piece) < 1000) throw undecidable('the model says something different each time')
      await endsReply(context, { body }, piece, [piece])
      await endsStream(context, { body }, piece, piece)
    },
  }),
  must('stop.own-sequence-per-request', {
    states: ['stop-ends-text'],
    dependsOn: ['stop.ends-text'],
    cost: { requests: 6, tokens: 600, quick: 2 },
    wrong: 'A prompt asked again, now with a stop sequence, got a text that goes on after it.',
    why: 'A client gets the text of another request when the cache key ignores `stop`.',
    fix: 'Make every field of the request part of the cache key, or do not cache.',
    async run(context) {
      const { ask, expect, nonce, undecidable } = context
      const body = {
        messages: [{ role: 'user', content: `Describe a harbour at night in three sentences (${nonce()}).` }],
        max_tokens: 48,
      }
      const first = contentOf(await ask(body)) ?? ''
      const sequence = commonIn([first])
      if (sequence === undefined) throw undecidable('the model says too little for a stop sequence to show')
      const reply = await ask({ ...body, stop: sequence })
      expect(
        `text after ${JSON.stringify(sequence)} in the second reply`,
        textAfter(contentOf(reply) ?? '', sequence),
        reply,
      ).is('')
    },
  }),
  must('stop.random-ends-text', {
    states: ['stop-ends-text', 'stop-string-or-array'],
    dependsOn: ['stop.every-place-in-list', 'stop.every-place-in-list-streaming'],
    // Nothing may stand before a sequence.
    sameCauseAs: ['relay.empty-text'],
    phase: 'random',
    cost: { requests: 1, tokens: 100 },
    wrong: 'A text went on after a random stop sequence.',
    ...endsAtStop,
    async run(context) {
      const baseline = await baselineOf(context, 'json')
      const texts = baseline.texts.filter((text) => text.length > 12)
      const own = texts[0] ?? 'a text of its own'
      const cut = fc
        .tuple(fc.nat({ max: own.length - 2 }), fc.integer({ min: 1, max: 12 }))
        .map(([start, length]) => own.slice(start, start + length).toWellFormed())
      const sequence = fc.oneof(
        { arbitrary: cut, weight: 5 },
        fc.string({ unit: 'grapheme', minLength: 1, maxLength: 6 }),
        fc.constantFrom('.', '.*', '[a-z]', '\\', '$', '^', '|', '(', '\t', '"'),
      )
      const values = fc.tuple(fc.array(sequence, { minLength: 1, maxLength: 4 }), fc.boolean())
      await context.property(values, async ([sequences, streamed]) => {
        const given = sequences.filter((one) => one !== '')
        const list = given.length === 1 && given[0] !== undefined && streamed ? given[0] : given
        if (streamed) await endsStream(context, baseline, given, list)
        else await endsReply(context, baseline, given, list)
      })
    },
  }),
])
