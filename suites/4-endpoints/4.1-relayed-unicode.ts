import { play, textOf } from '../../src/asking/nodes/scripted-nodes.ts'
import { clause, must } from '../../src/check/check.ts'
import { textAt } from '../../src/json.ts'
import { contentChunks, fragmentOf } from '../../src/target/answer.ts'

/** Texts that look the same, or like nothing, when somebody has put them into another form. */
const forms: Readonly<Record<string, string>> = {
  'letters with accents of their own': 'Zoe\u0308, cafe\u0301, A\u030a, \u1112\u1161\u11ab',
  'letters that include their accents': 'Zo\u00eb, caf\u00e9, \u00c5, \ud55c',
  'letters that have a plainer form': '\ufb01ne, \u00b2, \u00bd, \uff21, \uff76, \u2103, \u212b, \u2126, \u2026',
  'characters that show nothing': 'a\u200bb\u200dc\u00add\ufeffe\u2060f\ufe0e',
  'spaces of other kinds': 'a\u00a0b\u2009c\u3000d\u2028e\u2029f\u0085g',
  'line ends of all kinds': 'a\r\nb\rc\n\n\nd\n\r',
  'white space at both ends': ' \n\t a b \t\n ',
  'letters beyond the first 65,536': '\u{1d4b3} \u{20bb7} \u{1f3f3}\ufe0f\u200d\u{1f308}',
}

const stop = ['e\u0301', '\ufb01', ' \r\n', '\u00a0']

/** Whatever number of UTF-16 units, code points or bytes a piece is cut after, one of these has a cut inside a character. */
const pairs = { emoji: '', 'emoji after a letter': 'a' } as const

/** Shows texts that look alike, or have characters that show nothing, as they are. */
function spelled(text: string | undefined): string | undefined {
  return text?.replace(/[^ -~]/gu, (character) => `<U+${character.codePointAt(0)?.toString(16).padStart(4, '0')}>`)
}

/** The characters of what a node is asked, and of what it says. */
export const relayedUnicode = clause('4.1', [
  must('relay.unicode-unchanged', {
    states: ['parameters-reach-the-node'],
    needs: ['nodes'],
    dependsOn: ['relay.messages-unchanged', 'relay.stop-unchanged'],
    cost: { requests: 2, tokens: 400 },
    wrong: 'A message or stop sequence reached the node with other characters.',
    why: 'A model that is asked about file names, passwords or code points answers about other ones than the user sent.',
    fix: 'Pass text on code point by code point: no normalising, no trimming, no other line ends.',
    async run(context) {
      const own = await play(context, { fragments: ['Fine', '.'] })
      const last = `\u00a0 \ufb01ne, cafe\u0301, \u00c5:\r\n${own.prompt}\n `
      const texts = { ...forms, 'the last message': last }
      const messages = Object.values(texts).map((content, turn) => ({
        role: turn % 2 === 0 ? 'user' : 'assistant',
        content,
      }))
      await own.reply({ messages, stop })
      await own.stream({ messages, stop })
      for (const { json } of await own.seen()) {
        for (const [turn, [what, text]] of Object.entries(texts).entries()) {
          const passed = textAt(json, 'messages', turn, 'content')
          context.expect(`message at the node: ${what}`, spelled(passed)).is(spelled(text))
        }
        for (const [turn, text] of stop.entries()) {
          const passed = textAt(json, 'stop', turn)
          context.expect('stop sequence at the node', spelled(passed)).is(spelled(text))
        }
      }
    },
  }),
  must('relay.characters-stay-whole', {
    states: ['node-text-is-the-reply'],
    needs: ['nodes'],
    dependsOn: ['relay.reply-text-exact', 'relay.stream-text-exact'],
    sameCauseAs: ['chunk.text-well-formed'],
    cost: { requests: 12, tokens: 4000 },
    wrong: 'An emoji of a node was cut in half, or did not arrive.',
    why: 'Users read two question marks where a gateway cuts a text into pieces of its own size.',
    fix: 'Pass on the fragments of the node, or cut between code points.',
    async run(context) {
      for (const [what, start] of Object.entries(pairs)) {
        const fragments = [start, ...Array.from({ length: 24 }, () => '👋🏽👋')]
        const { reply, stream } = await play(context, { fragments })
        const [whole, pieces] = [await reply(), await stream()]
        context.expect(`the text of a reply: ${what}`, textOf(context, what, whole), whole).is(fragments.join(''))
        context.expect(`the text of a stream: ${what}`, textOf(context, what, pieces), pieces).is(fragments.join(''))
        const halves = contentChunks(pieces).filter(({ json }) => fragmentOf(json)?.isWellFormed() === false)
        context.expect(`fragments with half a character: ${what}`, halves.length, pieces).is(0)
      }
    },
  }),
])
