import { clause, should } from '../../src/check/check.ts'
import { modelsPath } from '../../src/target/chat.ts'
import { endsConnection, parseRawMessages, type RawMessage } from '../../src/wire/raw-message.ts'

const sockets = 4
/** Of the longest silence of a target; by default 80 s, longer than most servers keep an idle connection. */
const silencesIdle = 8
/** Left to the checks that come after it. */
const sparedMs = 5000
/** The answer to a request that came too late would be here by then. */
const crossingMs = 300
/** A server may count from a moment before its answer arrived. */
const earlyMsMax = 500

/** For how many seconds a connection was announced to live without a request. */
function announcedOf({ headers }: RawMessage): number | undefined {
  const [, value = ''] = headers.find(([name]) => name.toLowerCase() === 'keep-alive') ?? []
  const [, seconds] = /\btimeout=(\d+)/i.exec(value) ?? []
  return seconds === undefined ? undefined : Number(seconds)
}

export const idleConnections = clause('4.1', [
  should('http.idle-connections-end-in-order', {
    states: ['idle-connections-end-in-order'],
    needs: ['long'],
    dependsOn: ['chat.answers'],
    phase: 'end',
    cost: { requests: sockets, tokens: 0 },
    wrong: 'An idle connection ended unannounced, and the request that crossed its end was reset.',
    why: 'A client that reuses a connection in the moment of its end sees a reset and cannot know whether it was charged.',
    fix: 'Announce `Keep-Alive: timeout=N`, keep to it, and end an idle connection with a FIN, reading on for a moment.',
    async run({ converse, rawHead, expect, target, undecidable, notApplicable }) {
      const head = rawHead('GET', modelsPath, [['Connection', 'keep-alive']])
      const idleMs = Math.min(silencesIdle * target.patience.silenceMsMax, Math.max(0, target.remainingMs() - sparedMs))
      // To the server, a request that comes right after its end is one that was on its way. A reset shows at the next write.
      const late = [head, { pauseMs: crossingMs }]
      const steps = [head, { awaitEndMs: idleMs }, ...late, ...late]
      const talks = await Promise.all(Array.from({ length: sockets }, () => converse(steps, () => false)))
      const seen = talks.flatMap(({ arrivals, ending, endedAtMs }) => {
        const [first] = parseRawMessages(Buffer.concat(arrivals.map(({ bytes }) => bytes)))
        if (first === undefined) return []
        const announcedS = announcedOf(first)
        const livedMs = (endedAtMs ?? Number.POSITIVE_INFINITY) - (arrivals.at(-1)?.atMs ?? 0)
        const isAnnounced = announcedS !== undefined && livedMs >= announcedS * 1000 - earlyMsMax
        return [{ isClosing: endsConnection(first), isReset: ending === 'reset', isAnnounced, endedAtMs }]
      })
      if (seen.length === 0) throw undecidable('no answer could be read from the socket')
      if (seen.some(({ isClosing }) => isClosing)) throw notApplicable('every answer ends its connection')
      const ended = seen.filter(({ endedAtMs }) => endedAtMs !== undefined)
      if (ended.length === 0)
        throw notApplicable(`connections live for more than ${Math.round(idleMs / 1000)} s without a request`)
      const wrong = ended.filter(({ isReset, isAnnounced }) => isReset && !isAnnounced).length
      expect(`of ${ended.length} idle connections that ended, those that were reset unannounced`, wrong).isAtMost(1)
    },
  }),
])
