import { audited, isDoneMarker, onMarkedStreams, onWholeStreams } from '../../src/asking/audits.ts'
import { clause, must, open, should } from '../../src/check/check.ts'
import { parseSse } from '../../src/sse/parser.ts'
import { contentChunks, isRefusedForNow } from '../../src/target/answer.ts'
import { chatRequest } from '../../src/target/chat.ts'
import { codingOf, decodedBody } from '../../src/wire/content-coding.ts'
import { bodyBytes } from '../../src/wire/transcript.ts'

export const eventFraming = clause('6', [
  must(
    'stream.ends-with-done',
    onWholeStreams(
      {
        states: ['stream-ends-with-done'],
        wrong: 'A stream ended without [DONE].',
        why: 'Clients that wait for the marker never finish without it.',
        fix: 'Send `data: [DONE]` as the last event of every stream, long and short.',
      },
      (expect, stream) => expect('whether [DONE] was sent', stream.done, stream).is(true),
    ),
  ),
  must(
    'stream.done-once',
    onMarkedStreams(
      {
        states: ['stream-ends-with-done'],
        wrong: 'A stream sent [DONE] more than once.',
        why: 'Clients that reuse the connection find a second marker before their next reply.',
        fix: "Send the marker once, and do not forward the node's as well.",
        sameCauseAs: ['stream.nothing-after-done'],
      },
      (expect, stream) =>
        expect('times [DONE] was sent', stream.events.filter(isDoneMarker).length, stream).isAtMost(1),
    ),
  ),
  must(
    'stream.nothing-after-done',
    onMarkedStreams(
      {
        states: ['stream-ends-with-done'],
        wrong: 'A stream sent data after [DONE].',
        why: 'Clients stop at the marker and lose what follows.',
        fix: 'Send usage and metadata before the marker.',
      },
      (expect, stream) => {
        const marker = stream.events.findIndex(isDoneMarker)
        const late = stream.events.slice(marker + 1).filter((event) => !isDoneMarker(event))
        expect(
          'data events after [DONE]',
          late.map(({ data }) => data),
          stream,
        ).is([])
      },
    ),
  ),
  must(
    'stream.one-line-events',
    onWholeStreams(
      {
        states: ['events-are-one-line'],
        wrong: 'An event of a stream does not have exactly one data line.',
        why: 'Clients that read line by line break on a chunk that spans several lines.',
        fix: 'Write each chunk as one `data:` line, without line breaks in its JSON.',
      },
      (expect, stream) => {
        for (const event of stream.events) expect('data lines of an event', event.dataFields, stream).is(1)
      },
    ),
  ),
  must(
    'stream.no-bare-lines',
    onWholeStreams(
      {
        states: ['events-are-one-line'],
        wrong: 'A line of JSON or a marker stands in a stream without data: before it.',
        why: 'Every client drops a line without `data:`, and its text with it.',
        fix: 'Put `data: ` before every chunk and before the marker.',
      },
      (expect, stream) => {
        const bare = stream.frames.flatMap((frame) =>
          frame.kind === 'irregularity' && /^\s*[[{]/.test(frame.text) ? [frame.text] : [],
        )
        expect('lines of JSON or markers without `data:`', bare.slice(0, 3), stream).is([])
      },
    ),
  ),
  must('stream.whole-transfer', {
    ...onWholeStreams(
      {
        states: ['stream-reply-is-sse'],
        wrong: 'The transfer of a stream broke off.',
        why: 'Clients report an error when a transfer is cut, even after the marker.',
        fix: 'Finish the chunked body, or send exactly the announced length.',
      },
      (expect, stream) => expect('end of the transfer', stream.exchange.ending, stream).isOneOf(['complete', 'left']),
    ),
    sameCauseAs: ['concurrency.streams-not-interrupted'],
  }),
  must(
    'stream.valid-utf8',
    onWholeStreams(
      {
        states: ['chunk-content'],
        wrong: 'A stream holds bytes that are not UTF-8.',
        why: 'Users get broken text outside ASCII when bytes are cut or encoded differently.',
        fix: 'Encode the stream as UTF-8, and decode what nodes send across chunk borders.',
      },
      (expect, stream) => {
        const bad = stream.frames.filter(({ utf8 }) => !utf8)
        expect('frames that are not UTF-8', bad.length, stream).is(0)
      },
    ),
  ),
  should(
    'stream.no-empty-data',
    onWholeStreams(
      {
        states: ['events-are-chunks'],
        wrong: 'A stream sent an event with empty data.',
        why: 'Clients throw on empty data, which is not JSON.',
        fix: 'Send a comment line to keep a connection alive.',
      },
      (expect, stream) =>
        expect('data events without data', stream.events.filter(({ data }) => data.trim() === '').length, stream).is(0),
    ),
  ),
  should(
    'stream.events-terminated',
    onWholeStreams(
      {
        states: ['events-are-one-line'],
        wrong: 'A stream ended inside an event.',
        why: 'Clients discard an event without its blank line, as the rules of event streams say.',
        fix: 'End every event with a blank line, the last one too.',
      },
      (expect, stream) => {
        const open = stream.frames.filter((frame) => frame.kind === 'irregularity' && frame.what === 'unterminated')
        expect('events that the end of the stream cut off', open.length, stream).is(0)
      },
    ),
  ),
  should('stream.closes', {
    ...audited(
      {
        states: ['stream-ends-with-done'],
        wrong: 'Streams stayed open after [DONE].',
        why: 'Clients that read to the end of the body hang after the marker.',
        fix: 'End the response after the marker.',
      },
      'stream.answers',
    ),
    async run({ samples, expect }) {
      const streams = (await samples.wholeStreams()).map(({ answer }) => answer)
      // The contract sets no time for the end: on a busy machine one of many is late to close.
      const open = streams.filter(({ exchange }) => exchange.ending === 'left')
      const what = `responses, of ${streams.length}, that stayed open after [DONE]`
      expect(what, open.length, open[0]).isAtMost(Math.floor(streams.length / 2))
    },
  }),
  should('stream.compressed-still-valid', {
    states: ['stream-reply-is-sse'],
    phase: 'odd',
    dependsOn: ['stream.answers'],
    cost: { requests: 1, tokens: 60 },
    wrong: 'A stream asked for with compression could not be decoded, or has no event.',
    why: 'Browsers offer compression by default, and cannot read a stream that is compressed wrongly.',
    fix: 'Leave streams uncompressed, or flush the compressor after every event.',
    async run({ sendStream, model, expect, undecidable }) {
      const answer = await sendStream(
        chatRequest(model, { stream: true }, { headers: [['Accept-Encoding', 'gzip, deflate, br']] }),
      )
      if (isRefusedForNow(answer) || answer.status === undefined)
        throw undecidable('the request was temporarily refused')
      const plain = decodedBody(answer.exchange)
      expect('a body with content coding', codingOf(answer.exchange), answer).satisfies(
        'bytes that the coding can decode',
        plain !== undefined,
      )
      const events = parseSse(plain ?? Buffer.alloc(0)).filter((frame) => frame.kind === 'event')
      expect('data events in the decoded body', events.length, answer).isAtLeast(1)
    },
  }),
  open('stream.framing', {
    states: ['stream-framing-open'],
    dependsOn: ['stream.answers'],
    cost: { requests: 1, tokens: 120 },
    why: 'Simple clients depend on line endings, comments, event names and ids, which are left open.',
    fix: 'Nothing to mend: the contract leaves it open.',
    async run({ askStream }) {
      const { frames, events, exchange } = await askStream({ max_tokens: 32 })
      const raw = bodyBytes(exchange).toString('latin1')
      return {
        lineEnds: [/\r\n/.test(raw) && 'CRLF', /[^\r]\n/.test(raw) && 'LF', /\r[^\n]/.test(raw) && 'CR'].filter(
          (one) => one !== false,
        ),
        spaceBehindColon: /data: /.test(raw),
        comments: frames.filter(({ kind }) => kind === 'comment').length,
        byteOrderMark: frames.some((frame) => frame.kind === 'irregularity' && frame.what === 'bom'),
        named: events.some(({ name }) => name !== undefined),
        ids: events.some(({ lastId }) => lastId !== undefined),
        commentsClosedByBlankLine: frames.some(
          (frame, index) =>
            frame.kind === 'irregularity' && frame.what === 'blank-line' && frames[index - 1]?.kind === 'comment',
        ),
      }
    },
  }),
  open('stream.times', {
    states: ['stream-timing-open'],
    dependsOn: ['stream.answers'],
    cost: { requests: 1, tokens: 120 },
    why: 'Users wait for the head and the first fragment of a stream, which `assay load` measures.',
    fix: 'Nothing to mend: the contract leaves it open.',
    async run({ askStream }) {
      const stream = await askStream({ max_tokens: 32 })
      const content = contentChunks(stream)
      const ms = (value: number | undefined): number | null =>
        value === undefined ? null : Math.round(value * 10) / 10
      return {
        headMs: ms(stream.exchange.head?.atMs),
        firstFragmentMs: ms(content[0]?.atMs),
        lastFragmentMs: ms(content.at(-1)?.atMs),
        fragments: content.length,
      }
    },
  }),
])
