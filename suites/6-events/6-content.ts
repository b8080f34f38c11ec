import { baselineOf, whyUnstable } from '../../src/asking/baseline.ts'
import { inBothModes } from '../../src/asking/both-modes.ts'
import { clause, must, should } from '../../src/check/check.ts'
import { untilRight } from '../../src/repeat/repeat.ts'
import { rules } from '../../src/repeat/rules.ts'
import { contentChunks, contentOf, doneMarker } from '../../src/target/answer.ts'

function isTwice(text: string): boolean {
  const half = text.length / 2
  return text.length >= 2 && text.slice(0, half) === text.slice(half)
}

/** Texts that a decoder, HTML, JSON or a clean-up may change: the second fits into Latin-1, the third looks like events. */
const easilyBroken = [
  "Zoë 日本語テキスト привет 👩‍💻🏳️‍🌈 e\u0301 ½ “quoted” <b>&amp;</b> it's\ta  tab\n\n|\u0085|\u2028|\u2029|\u00a0|\u200b| end",
  'café',
  'data: x [DONE] event: y : z ½ 0,0 (0) false null',
]

/** A text of this many characters fills several buffers, and has some two hundred tokens. */
const longTextChars = 1000

const nights = Array.from({ length: 30 }, (_, at) => `On night ${at + 1} the keeper lit the lamp.`)
/** A model that follows instructions goes on from here, and one that repeats its prompt says all of it. */
const storyBegun = `It begins like this: ${nights.join(' ')}`

export const eventContent = clause('6', [
  must('stream.has-text', {
    states: ['events-carry-fragments'],
    phase: 'early',
    dependsOn: ['stream.answers', 'chat.answers'],
    sameCauseAs: ['concurrency.streams-not-interrupted'],
    cost: { requests: 6, tokens: 450, quick: 1 },
    wrong: 'None of five streams had any text.',
    why: 'Users of a stream without text see an empty reply, although the same question has one.',
    fix: 'Put the fragments into choices[].delta.content.',
    async run({ ask, askStream, expect, undecidable }) {
      const body = { messages: [{ role: 'user', content: 'Count from one to ten.' }], max_tokens: 64 }
      const stream = await untilRight(
        rules.spoken,
        () => askStream(body),
        ({ content }) => content !== '',
      )
      if (stream.content === '' && (contentOf(await ask(body)) ?? '') === '')
        throw undecidable('the model says nothing at all')
      expect('characters of text in the longest of five streams', stream.content.length, stream).isAtLeast(1)
    },
  }),
  must('stream.equals-reply', {
    states: ['fragments-make-the-reply'],
    dependsOn: ['stream.has-text'],
    cost: { requests: 20, tokens: 1600, quick: 1 },
    wrong: 'The text of a stream differs from the reply to the same request.',
    why: 'Users get silently corrupted numbers, code and names when fragments are lost, doubled or trimmed.',
    fix: 'Pass every fragment on once, in order and unchanged.',
    async run(context) {
      const { probe, probeStream, expect, undecidable } = context
      const reply = await baselineOf(context, 'json')
      const stream = await baselineOf(context, 'stream')
      if (reply.stable === undefined) throw undecidable(`${whyUnstable(reply)}, in replies`)
      if (stream.stable === undefined) throw undecidable(`${whyUnstable(stream)}, in streams`)
      if (reply.stable === '') throw undecidable('the model says nothing')
      if (stream.stable !== reply.stable) {
        const again = await inBothModes({ probe, probeStream }, reply.body)
        if (again === undefined || again.text === again.stream.content)
          throw undecidable('the model sometimes says something different')
      }
      expect('the joined fragments of a stream', stream.stable).is(reply.stable)
    },
  }),
  must('stream.equals-reply-unicode', {
    states: ['fragments-make-the-reply', 'chunk-content'],
    sameCauseAs: ['stream.equals-reply'],
    dependsOn: ['stream.has-text'],
    cost: { requests: 42, tokens: 7300, quick: 6 },
    wrong: 'A stream outside ASCII differs from the reply to the same request.',
    why: 'Users get broken text outside ASCII when bytes are decoded piece by piece.',
    fix: 'Decode and encode across the borders of pieces, as UTF-8.',
    async run({ probe, probeStream, expect, undecidable }) {
      let repeated = 0
      for (const text of easilyBroken) {
        const messages = [{ role: 'user', content: `Repeat exactly: ${text}` }]
        const both = await inBothModes({ probe, probeStream }, { messages, max_tokens: 128 })
        if (both === undefined) throw undecidable('no text of the model came twice in both modes')
        expect('the joined fragments of a stream', both.stream.content, both.stream).is(both.text)
        if (/[^\p{ASCII}]/u.test(both.text)) repeated += 1
      }
      if (repeated === 0) throw undecidable('the model does not repeat text outside ASCII')
    },
  }),
  must('stream.equals-reply-when-long', {
    states: ['fragments-make-the-reply'],
    phase: 'odd',
    dependsOn: ['stream.equals-reply'],
    cost: { requests: 14, tokens: 16_100, quick: 2 },
    wrong: 'A long stream differs from the reply to the same request.',
    why: 'Users lose text only in long replies, to a full buffer or a bound on chunks or letters.',
    fix: 'Limit a reply only by its tokens, and pass on every fragment.',
    async run({ probe, askStream, expect, undecidable }) {
      const messages = [{ role: 'user', content: `Tell the story of a lighthouse in 500 words. ${storyBegun}` }]
      // As a request that the contract grants, so the checks of every chunk also cover a long stream.
      const both = await inBothModes({ probe, probeStream: askStream }, { messages, max_tokens: 700 })
      if (both === undefined) throw undecidable('no text of the model came twice in both modes')
      if (Math.max(both.text.length, both.stream.content.length) < longTextChars)
        throw undecidable('the model says too little to show what breaks in long replies')
      expect('the joined fragments of a long stream', both.stream.content, both.stream).is(both.text)
    },
  }),
  must('stream.equals-reply-each-model', {
    states: ['fragments-make-the-reply'],
    dependsOn: ['stream.equals-reply', 'stream.model-each', 'max-tokens.limits-each-model'],
    cost: { requests: 70, tokens: 4550, quick: 4 },
    wrong: "A model's stream differs from its reply to the same request.",
    why: 'Users of one model get corrupted text when its path joins or cuts text in its own way.',
    fix: 'Pass every fragment on once, in order and unchanged, for every model.',
    async run(context) {
      const { probe, probeStream, prepared, model, expect, notApplicable, undecidable } = context
      const others = prepared.roster.filter(({ id }) => id !== model).slice(0, 5)
      if (others.length === 0) throw notApplicable('no other model answers')
      const { body } = await baselineOf(context, 'json')
      let decided = 0
      for (const { id } of others) {
        const both = await inBothModes({ probe, probeStream }, { ...body, model: id })
        if (both === undefined || both.text + both.stream.content === '') continue
        expect(`the joined fragments of a stream of ${id}`, both.stream.content, both.stream).is(both.text)
        decided += 1
      }
      if (decided === 0) throw undecidable('no other model repeats its text')
    },
  }),
  must('stream.fragments-not-repeated', {
    states: ['fragments-make-the-reply'],
    dependsOn: ['stream.has-text'],
    cost: { requests: 6, tokens: 700, quick: 1 },
    wrong: 'Streams send their text, or each of their fragments, twice.',
    why: 'Users cannot use a text that comes twice, as a whole or fragment by fragment.',
    fix: 'Send each fragment once, and no summary after them.',
    async run(context) {
      const { expect, undecidable } = context
      const reply = await baselineOf(context, 'json')
      const { texts, fragments, stable } = await baselineOf(context, 'stream')
      const long = texts.filter((text) => text.length >= 24)
      if (long.length === 0) throw undecidable('the model says too little for a repetition to show')
      // A model may repeat itself: then it also does so when not streaming.
      if (reply.texts.some(isTwice)) throw undecidable('the model repeats itself, streamed or not')
      expect('streams whose second half repeats the first', long.filter(isTwice).length).satisfies(
        'not all of them',
        long.filter(isTwice).length < long.length,
      )
      const pairs =
        fragments.length >= 8 &&
        fragments.length % 2 === 0 &&
        fragments.every((one, index) => index % 2 === 1 || one === fragments[index + 1])
      expect('whether every fragment comes twice in a row', pairs && stable !== reply.stable).is(false)
    },
  }),
  must('stream.white-space-kept', {
    states: ['fragments-make-the-reply'],
    dependsOn: ['stream.has-text', 'chat.answers'],
    cost: { requests: 6, tokens: 700, quick: 1 },
    wrong: 'Streams have far less white space than replies.',
    why: 'Users read words run together when fragments are trimmed.',
    fix: 'Pass on fragments with the white space around them.',
    async run(context) {
      const { expect, undecidable } = context
      const share = (texts: readonly string[]): number =>
        texts.join('').replace(/\S/g, '').length / Math.max(1, texts.join('').length)
      const reply = await baselineOf(context, 'json')
      const stream = await baselineOf(context, 'stream')
      const inReply = share(reply.texts)
      if (reply.texts.join('').length < 60 || inReply < 0.05) throw undecidable('replies hold too little white space')
      if (stream.texts.join('').length < 60) throw undecidable('the streams hold too little text')
      expect(
        `share of white space in streams, against ${inReply.toFixed(3)} in replies`,
        share(stream.texts),
      ).isAtLeast(inReply / 4)
    },
  }),
  must('stream.no-mojibake', {
    states: ['chunk-content'],
    dependsOn: ['stream.has-text', 'chat.answers'],
    cost: { requests: 2, tokens: 260 },
    wrong: 'Letters outside ASCII were garbled in a reply or a stream.',
    why: 'Users of Japanese, Russian or emoji get garbage from a single wrong decoding.',
    fix: 'Decode and encode as UTF-8, across the borders of pieces.',
    async run({ ask, askStream, expect, undecidable }) {
      const words = ['Zoë', '日本語', 'привет', '👩‍💻']
      const body = { messages: [{ role: 'user', content: `Repeat exactly: ${words.join(' ')}` }], max_tokens: 64 }
      const reply = await ask(body)
      const stream = await askStream(body)
      const texts = [
        { text: contentOf(reply) ?? '', shownBy: reply },
        { text: stream.content, shownBy: stream },
      ]
      const garbled = words.map((word) => Buffer.from(word, 'utf8').toString('latin1'))
      for (const { text, shownBy } of texts) {
        expect(
          'words that were decoded as Latin-1',
          garbled.filter((word) => text.includes(word)),
          shownBy,
        ).is([])
      }
      // A model may say a replacement character, but one that is only in one mode was made on the way.
      const replaced = texts.map(({ text }) => text.includes('\ufffd'))
      expect('whether reply and stream agree on replacement characters', replaced[0] === replaced[1], stream).is(true)
      if (!words.some((word) => texts.every(({ text }) => text.includes(word))))
        throw undecidable('the model repeats nothing outside ASCII')
    },
  }),
  must('stream.long-reply-ends', {
    states: ['stream-ends-with-done'],
    dependsOn: ['stream.answers', 'max-tokens.accepted', 'stream.ends-with-done', 'stream.nothing-after-done'],
    phase: 'audit',
    cost: { requests: 1, tokens: 600 },
    wrong: 'The last event of a long stream is not [DONE].',
    why: 'Clients hang on long streams when a server sends the marker only after short ones.',
    fix: 'End every stream in one place.',
    async run({ askStream, expect }) {
      const stream = await askStream({
        messages: [{ role: 'user', content: 'Tell a long story about a lighthouse, in at least twenty sentences.' }],
        max_tokens: 512,
      })
      expect('data of the last event', stream.events.at(-1)?.data, stream).is(doneMarker)
    },
  }),
  must('stream.leaving-harms-nobody', {
    states: ['next-request-is-served'],
    dependsOn: ['stream.answers', 'chat.answers', 'max-tokens.accepted'],
    sameCauseAs: ['concurrency.streams-not-interrupted'],
    cost: { requests: 20, tokens: 1200, quick: 11 },
    wrong: 'A request beside or after abandoned streams was not served whole.',
    coversNoReply: true,
    why: "One user who presses stop must not take down the server or somebody else's reply.",
    fix: 'Cancel only the abandoned request.',
    async run({ ask, askStream, expect }) {
      const long = { messages: [{ role: 'user', content: 'Tell a long story about a lighthouse.' }], max_tokens: 128 }
      for (let turn = 0; turn < 3; turn += 1) {
        const [stays] = await Promise.all([
          askStream(long),
          askStream(long, { leaveAfterContent: 2 }),
          askStream(long, { leaveAfterContent: 1 }),
        ])
        expect('end of the stream that was not abandoned', stays?.exchange.ending, stays).isOneOf(['complete', 'left'])
      }
      const after = await ask()
      expect('status of a reply after abandoned streams', after.status, after).is(200)
      const stream = await askStream()
      expect('data events after abandoned streams', stream.chunks.length, stream).isAtLeast(1)
    },
  }),
  should('stream.not-buffered', {
    states: ['events-as-they-happen'],
    dependsOn: ['stream.has-text'],
    cost: { requests: 6, tokens: 540 },
    wrong: 'Streams arrived in one piece, and later the longer they were.',
    why: 'Users wait, and run into idle timeouts, when a stream is held back to its end.',
    fix: 'Flush every event, and switch off buffering and compression windows on the way.',
    async run({ askStream, expect, undecidable }) {
      const body = { messages: [{ role: 'user', content: 'Tell a long story about a lighthouse.' }] }
      let held = 0
      let judged = 0
      for (let turn = 0; turn < 3; turn += 1) {
        const short = contentChunks(await askStream({ ...body, max_tokens: 4 }))
        const long = contentChunks(await askStream({ ...body, max_tokens: 64 }))
        const first = long[0]
        const shortFirst = short[0]
        if (first === undefined || shortFirst === undefined || long.length < 8) continue
        judged += 1
        const together = (long.at(-1)?.atMs ?? 0) - first.atMs < Math.max(2, first.atMs / 20)
        if (together && first.atMs >= 3 * shortFirst.atMs && first.atMs - shortFirst.atMs > 40) held += 1
      }
      if (judged === 0) throw undecidable('the model streams too few fragments to judge their timing')
      expect('streams, of 3, that came in one piece and took three times as long when longer', held).isAtMost(2)
    },
  }),
])
