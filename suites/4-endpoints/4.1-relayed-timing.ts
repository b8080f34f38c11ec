import { play, playWhenReady, textOf } from '../../src/asking/nodes/scripted-nodes.ts'
import { clause, open, should } from '../../src/check/check.ts'
import { at, listAt } from '../../src/json.ts'
import { untilRight } from '../../src/repeat/repeat.ts'
import { rules } from '../../src/repeat/rules.ts'
import { contentChunks, fragmentOf, isRefusedForNow, isSuccess, type StreamAnswer } from '../../src/target/answer.ts'
import type { NodeScript } from '../../src/target/nodes.ts'
import { codingOf, decodedArrivals } from '../../src/wire/content-coding.ts'

const plain: NodeScript = { fragments: ['One ', 'two ', 'three ', 'four.'] }

const gapMs = 40
const words = Array.from({ length: 12 }, (_, at) => `word${at} `)
const oneByOne: NodeScript = { fragments: words, timing: { firstToken: 10, gap: gapMs } }

/**
 * A node that pauses before its last word. A gateway that joins two, three, four or six fragments, which is legal, has none left by
 * then.
 */
const joinable = 24
const pauseMs = 1500
const pausing: NodeScript = {
  fragments: Array.from({ length: joinable + 1 }, (_, at) => `word${at} `),
  timing: { firstToken: 10, gap: 5, spikes: { every: joinable, ms: pauseMs } },
}
const beforeThePause = (pausing.fragments ?? []).slice(0, joinable).join('')

/** Slow, but not silent for so long that it could be taken for dead. */
const slow: NodeScript = {
  fragments: Array.from({ length: 24 }, (_, at) => `word${at} `),
  timing: { firstToken: 2200, gap: 50, spikes: { every: 20, ms: 2200 } },
}
const slowText = slow.fragments?.join('') ?? ''
/** Longer than the limits of a minute or two that gateways and proxies have on a whole reply. */
const longStreamWords = Array.from({ length: 126 }, (_, at) => `word${at} `)
const wordEveryMs = 1000
/** Left to the checks that come after it. */
const sparedMs = 5000
/** Less than the whole of it takes. */
const writingMs = 5000

/** Milliseconds between the first and the last fragment of a stream. */
function spreadOf(stream: StreamAnswer): number {
  const arrivals = contentChunks(stream).map(({ atMs }) => atMs)
  return Math.round((arrivals.at(-1) ?? 0) - (arrivals[0] ?? 0))
}

/** Milliseconds from when all was there that a node sent before it paused until the last fragment came. */
function pauseIn(stream: StreamAnswer): number {
  const chunks = contentChunks(stream)
  let text = ''
  const complete = chunks.find(({ json }) => {
    text += fragmentOf(json) ?? ''
    return text.length >= beforeThePause.length
  })
  return Math.round((chunks.at(-1)?.atMs ?? 0) - (complete?.atMs ?? 0))
}

/** Why a fragment may come late from a gateway that does not wait for the next one of its node. */
function reasonToHold(stream: StreamAnswer): string | undefined {
  const chunks = contentChunks(stream)
  if (at(chunks.at(-1)?.json, 'choices', 0, 'finish_reason') != null)
    return 'the last fragment brings the finish reason'
  if (/\r(?!\n)/.test(stream.text))
    return 'a line ends with a carriage return, and only the next byte shows that it ended'
  const reads = new Set(chunks.map(({ atMs }) => atMs)).size
  return reads * 2 < chunks.length ? 'several events come in one write' : undefined
}

/** The first to the last fragment, for a client that decodes what it reads. */
function decodedSpreadOf({ exchange }: StreamAnswer): number {
  const parts = decodedArrivals(exchange).filter(({ bytes }) => Buffer.from(bytes).includes('word'))
  return Math.round((parts.at(-1)?.atMs ?? 0) - (parts[0]?.atMs ?? 0))
}

export const relayedTiming = clause('4.1', [
  should('relay.fragments-as-they-come', {
    states: ['events-as-they-happen'],
    needs: ['nodes'],
    dependsOn: ['relay.any-form-of-stream'],
    cost: { requests: 6, tokens: 600 },
    wrong: 'Fragments that a node sent one by one did not arrive so.',
    why: 'Readers wait for the last word to see the first when a stream is held until it is complete.',
    fix: 'Pass on each fragment as soon as the node sent it, whatever its line endings.',
    async run(context) {
      for (const lineEnd of ['\n', '\r\n']) {
        const { stream } = await play(context, { ...oneByOne, wire: { lineEnd } })
        // On a busy machine, fragments that arrived separately may be read together.
        const answer = await untilRight(
          rules.slow,
          () => stream(),
          (one) => spreadOf(one) >= 5 * gapMs,
        )
        const what = `ms between the first and the last of 12 fragments (${JSON.stringify(lineEnd)}), sent over ${11 * gapMs}`
        context.expect(what, spreadOf(answer), answer).isAtLeast(5 * gapMs)
      }
    },
  }),
  should('relay.fragments-wait-for-none', {
    states: ['events-as-they-happen'],
    needs: ['nodes'],
    dependsOn: ['relay.fragments-as-they-come'],
    cost: { requests: 9, tokens: 1500 },
    wrong: 'A fragment of a node came only when the node sent the next one.',
    why: 'While a model thinks, its readers miss the last word that it said.',
    fix: 'Pass on each fragment as soon as it is read; what the end of a stream needs can be kept beside it.',
    async run(context) {
      const { stream } = await play(context, pausing)
      const answer = await untilRight(
        rules.slow,
        () => stream(),
        (one) => pauseIn(one) >= pauseMs / 2,
      )
      const reason = pauseIn(answer) >= pauseMs / 2 ? undefined : reasonToHold(answer)
      if (reason !== undefined) throw context.notApplicable(reason)
      const what = `ms without a fragment where the node pauses for ${pauseMs} before its last`
      context.expect(what, pauseIn(answer), answer).isAtLeast(pauseMs / 2)
    },
  }),
  should('relay.compressed-fragments-as-they-come', {
    states: ['events-as-they-happen'],
    needs: ['nodes'],
    dependsOn: ['relay.fragments-as-they-come'],
    sameCauseAs: ['stream.compressed-still-valid'],
    cost: { requests: 12, tokens: 1500 },
    wrong: 'Fragments that a node sent one by one did not arrive so at a client that accepts compression.',
    why: 'Browsers and most libraries accept compression: their users wait for the last word to see the first.',
    fix: 'Leave streams uncompressed, or flush the compressor after every event.',
    async run(context) {
      const { nodes, probeStream, expect, notApplicable, undecidable } = context
      const { prompt } = await play(context, oneByOne)
      const body = { model: nodes.model, max_tokens: 100, messages: [{ role: 'user', content: prompt }] }
      const answer = await untilRight(
        rules.slow,
        () => probeStream(body, { headers: [['Accept-Encoding', 'gzip, deflate, br']] }),
        (one) => decodedSpreadOf(one) >= 5 * gapMs,
      )
      if (isRefusedForNow(answer)) throw undecidable('a client that accepts compression was temporarily refused')
      expect('status of a stream for a client that accepts compression', answer.status, answer).isStatus('2xx')
      if (codingOf(answer.exchange) === 'identity') throw notApplicable('streams are not compressed')
      const what = `ms between the first and the last of 12 fragments, once decoded, sent over ${11 * gapMs}`
      expect(what, decodedSpreadOf(answer), answer).isAtLeast(5 * gapMs)
    },
  }),
  should('relay.slow-node-is-served', {
    states: ['failover'],
    needs: ['nodes'],
    dependsOn: ['relay.reply-text-exact', 'relay.stream-text-exact'],
    cost: { requests: 2, tokens: 200 },
    wrong: 'A slow node was given up, or its text did not arrive unchanged.',
    why: 'Large models take seconds to begin when they are busy, and a gateway that gives up sooner makes an outage of it.',
    fix: 'Give a node half a minute for its first token and ten seconds for each further one, and do not limit the whole.',
    async run(context) {
      const plays = await Promise.all([play(context, slow), play(context, slow)])
      const [whole, pieces] = await Promise.all([plays[0].reply(), plays[1].stream()])
      for (const [at, answer] of [whole, pieces].entries()) {
        const what = `a ${at === 0 ? 'reply' : 'stream'} whose node begins after 2.2 s, pauses for 2.2 s and takes 5.5 s in all`
        context.expect(`the text of ${what}`, textOf(context, what, answer), answer).is(slowText)
        const [{ arrivedAtMs, closedByPeerAtMs }] = await plays[at === 0 ? 0 : 1].seen()
        // A gateway may ask a second node as well, and may hang up at the end marker, but it does not leave the first one before.
        const isLeft = closedByPeerAtMs !== undefined && closedByPeerAtMs - arrivedAtMs < writingMs
        context.expect(`whether the gateway left the node that it asked first for ${what}`, isLeft, answer).is(false)
      }
    },
  }),
  should('relay.stream-of-minutes', {
    states: ['failover'],
    needs: ['nodes', 'long'],
    dependsOn: ['relay.slow-node-is-served'],
    phase: 'end',
    cost: { requests: 12, tokens: 1300 },
    wrong: 'A stream that went on for two minutes did not arrive whole, though a word came every second.',
    why: 'Long answers of large models take minutes, and a limit on the whole cuts off their ends.',
    fix: 'Limit how long nothing comes, and not how long a stream goes on.',
    async run(context) {
      if (context.target.remainingMs() < longStreamWords.length * wordEveryMs + sparedMs)
        throw context.undecidable('the run has no time left for it: --max-time 400 is enough')
      const timing = { firstToken: 10, gap: wordEveryMs }
      const own = await playWhenReady(context, { fragments: longStreamWords, timing })
      // Two beside each other: one may be cut by chance.
      const streams = await Promise.all(
        ['One', 'Two'].map((name) =>
          own.stream({ messages: [{ role: 'user', content: `${own.prompt} ${name}.` }] }, undefined, true),
        ),
      )
      const isWhole = ({ content }: StreamAnswer): boolean => content === longStreamWords.join('')
      const answer = streams.find(isWhole) ?? streams[0]
      if (answer === undefined || !isSuccess(answer)) throw context.undecidable('a stream of two minutes was refused')
      context
        .expect('the text of the better of two streams of two minutes', answer.content, answer)
        .is(longStreamWords.join(''))
    },
  }),
  open('relay.added-delay', {
    states: ['stream-timing-open'],
    needs: ['nodes'],
    dependsOn: ['relay.stream-text-exact'],
    cost: { requests: 12, tokens: 620 },
    why: 'Users feel every delay before the first word at every turn of a conversation.',
    fix: 'Nothing to mend: the contract names no time. Look for sleeps and buffers before the first chunk.',
    async run(context) {
      const firstTokenMs = 30
      const delays: number[] = []
      const { prompt, stream } = await play(context, { ...plain, timing: { firstToken: firstTokenMs, gap: 1 } })
      for (let turn = 0; turn < 12; turn += 1) {
        // A unique prompt: a cached reply would come before the node's.
        const messages = [{ role: 'user', content: `${prompt} Turn ${turn}.` }]
        const [first] = contentChunks(await stream({ messages }))
        if (first !== undefined) delays.push(first.atMs - firstTokenMs)
      }
      delays.sort((a, b) => a - b)
      return { medianMsToFirstContentBeyondTheNode: Math.round(delays[Math.floor(delays.length / 2)] ?? -1) }
    },
  }),
  open('relay.slow-first-token', {
    states: ['stream-timing-open'],
    needs: ['nodes', 'long'],
    dependsOn: ['relay.stream-text-exact'],
    cost: { requests: 1, tokens: 60 },
    why: 'Users cannot use large models on busy nodes, which take a minute to begin, if a gateway gives up earlier.',
    fix: 'Nothing to mend: the contract names no time.',
    async run(context) {
      const seconds = 21
      const { stream } = await play(context, { ...plain, timing: { firstToken: seconds * 1000, gap: 1 } })
      const answer = await stream()
      return {
        secondsToFirstToken: seconds,
        served: isSuccess(answer) && answer.done,
        choices: listAt(answer.json, 'choices').length,
      }
    },
  }),
])
