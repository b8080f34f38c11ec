import { play } from '../../src/asking/nodes/scripted-nodes.ts'
import { clause, must } from '../../src/check/check.ts'
import { parseJson, textAt } from '../../src/json.ts'
import { parseSse } from '../../src/sse/parser.ts'
import { type Answer, fragmentOf, isStream, type StreamAnswer } from '../../src/target/answer.ts'
import { codingOf, decodedBody } from '../../src/wire/content-coding.ts'

/** What clients say that they read: those that decode nothing themselves, and most libraries. */
const offers = ['identity', 'gzip, deflate, br, zstd']

/** The text of a reply as a client reads it that decodes the body first; undefined where it cannot be decoded. */
function decodedText(answer: Answer | StreamAnswer): string | undefined {
  const body = decodedBody(answer.exchange)
  if (body === undefined || !isStream(answer))
    return body && (textAt(parseJson(body.toString()), 'choices', 0, 'message', 'content') ?? '')
  const events = parseSse(body).filter((frame) => frame.kind === 'event')
  return events.map(({ data }) => fragmentOf(parseJson(data)) ?? '').join('')
}

/** How a node's replies are compressed. */
export const relayedCodings = clause('4.1', [
  must('relay.compressed-node-is-read', {
    states: ['node-text-is-the-reply'],
    needs: ['nodes'],
    dependsOn: ['relay.reply-text-exact', 'relay.stream-text-exact'],
    cost: { requests: 4, tokens: 400 },
    wrong: 'A text did not arrive unchanged from a node that compresses what it sends.',
    why: 'Engines after a proxy compress for whoever offers to read that; users then get nothing, or bytes that their client cannot decode.',
    fix: "Decode what a node compressed before reading it, and pass on neither its Content-Encoding nor a client's Accept-Encoding.",
    async run(context) {
      const { nodes, probe, probeStream, expect, notApplicable, undecidable } = context
      const fragments = ['One ', 'zwölf ', '東京 👋', '.']
      const own = await play(context, { fragments, wire: { gzip: true } })
      const body = { model: nodes.model, max_tokens: 100, messages: [{ role: 'user', content: own.prompt }] }
      for (const offer of offers) {
        const options = { headers: [['Accept-Encoding', offer]] as const }
        for (const answer of [await probe(body, options), await probeStream(body, options)]) {
          const what = `a ${isStream(answer) ? 'stream' : 'reply'} for a client that reads ${offer}`
          if (answer.status === 429) throw undecidable(`${what} was temporarily refused`)
          expect(`status of ${what}`, answer.status, answer).isStatus('2xx')
          const isOffered = ['identity', ...offer.split(', ')].includes(codingOf(answer.exchange))
          expect(`content coding of ${what}`, codingOf(answer.exchange), answer).satisfies(
            'one that it reads',
            isOffered,
          )
          expect(`the decoded text of ${what}`, decodedText(answer), answer).is(fragments.join(''))
        }
      }
      const seen = await own.seen()
      if (!seen.some(({ headers }) => /\bgzip\b/.test(String(headers['accept-encoding']))))
        throw notApplicable('the gateway offers its nodes no compression')
    },
  }),
])
