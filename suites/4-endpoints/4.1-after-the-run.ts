import { mayRestNodes } from '../../src/asking/nodes/rested.ts'
import { passing, rawChat } from '../../src/asking/raw/talk.ts'
import { clause, must, should } from '../../src/check/check.ts'
import { eventually } from '../../src/repeat/eventually.ts'
import { untilRight } from '../../src/repeat/repeat.ts'
import { ruleFor, rules } from '../../src/repeat/rules.ts'
import { type Answer, isSuccess } from '../../src/target/answer.ts'
import { chatRequest, chatText } from '../../src/target/chat.ts'
import { outcome } from '../../src/target/settle.ts'
import { parseRawMessages, type RawMessage } from '../../src/wire/raw-message.ts'
import { headerOf } from '../../src/wire/transcript.ts'

/** How many times longer than the settling time a gateway may rest nodes that are well: few rest them for more than a minute. */
const comesBackFactor = 9

/** Whether an answer was silent where bytes were still to come. */
function isShortOfItsLength({ exchange }: Answer): boolean {
  const announced = Number(headerOf(exchange, 'content-length') ?? 0)
  const received = exchange.arrivals.reduce((sum, { bytes }) => sum + bytes.length, 0)
  return exchange.ending === 'timeout' && received < announced
}

/** What is seen when all has been asked. */
export const afterTheRun = clause('4.1', [
  must('service.survives-the-run', {
    states: ['next-request-is-served'],
    dependsOn: ['chat.answers'],
    phase: 'end',
    ofWholeRun: true,
    cost: { requests: 5, tokens: 300, quick: 1 },
    wrong: 'After the run a plain request, served at the start, was not served.',
    why: 'A server that one client can bring to a stop is down for all of them.',
    fix: 'Send the last requests before the silence one by one, and keep what belongs to one request in that request.',
    async run(context) {
      const { converse, expect, model, target, undecidable } = context
      let takesConnections = true
      const plain = async (): Promise<RawMessage | undefined> => {
        const { arrivals, ending } = await converse([rawChat(context, chatText(model, {}))], (received) =>
          parseRawMessages(received).some(({ whole }) => whole),
        )
        takesConnections = ending !== 'unreachable'
        return parseRawMessages(Buffer.concat(arrivals.map(({ bytes }) => bytes)))[0]
      }
      const rule = ruleFor(rules.lastRequest, target.spending.cuts > 0)
      const isServed = (message: RawMessage | undefined): boolean => message?.status === 200
      const soon = await untilRight(rule, plain, isServed)
      // A gateway may have put its nodes out of service for a while; a server that is silent or gone is not waited for.
      const withinMs = Math.min(target.config.settlingMs, target.remainingMs())
      const mayBeBack = soon !== undefined && !isServed(soon)
      const last = mayBeBack ? await eventually({ withinMs, everyMs: 500 }, () => plain(), isServed) : soon
      if (passing(last)) throw undecidable('the last request was temporarily refused')
      // A server that takes no connection any more is at no reply either: it has stopped.
      if (last === undefined && takesConnections && target.recovery.mayBeAtWork())
        throw undecidable('the gateway may still be writing a reply that nothing bounds')
      const isRefused = last !== undefined && last.status >= 400 && target.config.nodes !== undefined
      // Whoever does not ask our nodes again, which were made to fail, is told so by the checks of that.
      if (isRefused && (await mayRestNodes(context)))
        throw undecidable(
          `the gateway answered with ${last?.status}, perhaps because it rests our nodes: --settling S waits longer`,
        )
      const since = last === undefined ? target.beforeSilence() : target.sinceServed()
      const nothing =
        last === undefined ? 'answered any more when these were under way' : 'served any more from these on'
      const told = since.length === 0 ? '' : `; nothing was ${nothing}: ${since.join(', ')}`
      expect(`status of a plain request sent after all others (200 at the start)${told}`, last?.status).is(200)
    },
  }),
  should('relay.nodes-are-asked-again', {
    states: ['nodes-come-back'],
    needs: ['nodes'],
    dependsOn: ['relay.reply-text-exact'],
    sameCauseAs: ['relay.recovers'],
    phase: 'end',
    ofWholeRun: true,
    cost: { requests: 100, tokens: 300 },
    wrong: 'A model was refused with 503 long after its nodes were well again.',
    why: 'A node that failed a few times too often is lost until somebody restarts the gateway.',
    fix: 'Ask a node again some seconds after it failed, however often it did.',
    async run({ expect, nodes, send, target, undecidable }) {
      const ask = () => send(chatRequest(nodes.model, {}, { burst: true }))
      const withinMs = target.config.settlingMs * comesBackFactor
      const soon = await ask()
      const waits = soon.status === 503
      if (waits && target.remainingMs() < withinMs) throw undecidable('no time was left to wait for it')
      const late = waits
        ? await eventually({ withinMs, everyMs: withinMs / 90 }, ask, ({ status }) => status !== 503)
        : soon
      if (!isSuccess(late) && late.status !== 503) throw undecidable(`a plain request got ${outcome(late)}`)
      const what = `status of a plain request for ${Math.round(withinMs / 1000)} s after all others, while our nodes are well`
      expect(what, late.status, late).isStatus('2xx')
    },
  }),
  must('http.announced-refusals-come', {
    states: ['http-rules'],
    dependsOn: ['chat.answers'],
    phase: 'end',
    ofWholeRun: true,
    cost: { requests: 0, tokens: 0 },
    wrong: 'A refusal announced more bytes than came, and its client waited for them in vain.',
    why: 'A client that is refused hangs until its own timeout, and cannot read why.',
    fix: "Compute the length of each body that you write, and never pass on a node's for a body of your own (RFC 9110, 8.6).",
    async run({ samples, expect, witness, notApplicable }) {
      const refusals = await samples.refusals()
      if (refusals.length === 0) throw notApplicable('nothing was refused')
      const short = refusals.filter(isShortOfItsLength)
      if (short[0] !== undefined) witness(short[0])
      // A network may lose the end of one.
      expect(`refusals, of ${refusals.length}, of which announced bytes did not come`, short.length).isAtMost(1)
    },
  }),
])
