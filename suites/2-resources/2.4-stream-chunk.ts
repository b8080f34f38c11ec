import { onEveryChunk, onEveryStream } from '../../src/asking/audits.ts'
import { clause, must, should } from '../../src/check/check.ts'
import { mismatchesAt } from '../../src/contract/schema.ts'
import { streamChunkSchema } from '../../src/contract/stream-chunk.ts'
import { at, isRecord, listAt, textAt } from '../../src/json.ts'
import { fragmentOf } from '../../src/target/answer.ts'

export const streamChunk = clause('2.4', [
  must(
    'chunk.is-json',
    onEveryStream(
      {
        states: ['events-are-chunks'],
        wrong: 'An event of a stream is not a JSON object.',
        why: 'Every client parses the data of an event as JSON, and throws when it is not.',
        fix: 'Write one JSON object into each data event but the last.',
      },
      (expect, stream) => {
        for (const { json, frame } of stream.chunks)
          if (frame.data !== '')
            expect('data of an event', frame.data, stream).satisfies('a JSON object', isRecord(json))
      },
    ),
  ),
  must(
    'chunk.id',
    onEveryChunk(
      {
        states: ['chunk-id'],
        wrong: 'The id of a chunk is missing or malformed.',
        why: 'Clients that pin the id of the first chunk fail on a chunk without one.',
        fix: 'Put the id into every chunk: the first, the last, and those that carry usage or filter data.',
      },
      (expect, chunk, stream) =>
        expect("schema violations of a chunk's id", mismatchesAt(streamChunkSchema, chunk, /^\/id|'id'/), stream).is(
          [],
        ),
    ),
  ),
  must(
    'chunk.id-constant',
    onEveryStream(
      {
        states: ['chunk-id-constant'],
        sameCauseAs: ['stream.left-reaches-nobody-else'],
        wrong: 'The chunks of one stream have different ids.',
        why: 'Clients in several languages fail when the id changes within a reply.',
        fix: 'Generate the id once per reply.',
      },
      (expect, stream) => {
        const ids = new Set(stream.chunks.map(({ json }) => textAt(json, 'id') ?? '').filter((id) => id !== ''))
        expect('ids within one stream', [...ids].slice(0, 3), stream).satisfies('one id', ids.size <= 1)
      },
    ),
  ),
  must(
    'chunk.choices',
    onEveryChunk(
      {
        states: ['chunk-choices'],
        wrong: 'The choices of a chunk are missing or no list.',
        why: 'Clients that loop over the choices crash when they are null or missing.',
        fix: 'Send `choices` as an array in every chunk, an empty one with usage.',
      },
      (expect, chunk, stream) =>
        expect(
          "schema violations of a chunk's choices",
          mismatchesAt(streamChunkSchema, chunk, /^\/choices must|'choices'/),
          stream,
        ).is([]),
    ),
  ),
  must(
    'chunk.index',
    onEveryChunk(
      {
        states: ['chunk-index'],
        wrong: 'A choice in a chunk does not have the index 0.',
        why: 'Clients open a new choice at every new index, and split the text.',
        fix: 'Set `index` to the position of the choice: 0 for the only one.',
      },
      (expect, chunk, stream) => {
        for (const choice of listAt(chunk, 'choices')) expect('index of a choice', at(choice, 'index'), stream).is(0)
      },
    ),
  ),
  must(
    'chunk.delta',
    onEveryChunk(
      {
        states: ['chunk-delta'],
        wrong: 'A choice in a chunk has no delta, or one that is no object.',
        why: 'Most clients throw when a delta is null or missing.',
        fix: 'Send `delta` as an object in every choice, an empty one in the last.',
      },
      (expect, chunk, stream) =>
        expect(
          'schema violations of a delta',
          mismatchesAt(streamChunkSchema, chunk, /\/delta must|'delta'/),
          stream,
        ).is([]),
    ),
  ),
  must(
    'chunk.content',
    onEveryChunk(
      {
        states: ['chunk-content'],
        wrong: 'The content of a delta is no fragment of text.',
        why: 'Clients append fragments to a text, and fail on one that is not text.',
        fix: 'Send `content` as a string, as null, or not at all.',
      },
      (expect, chunk, stream) =>
        expect(
          'schema violations of a fragment',
          mismatchesAt(streamChunkSchema, chunk, /\/delta\/content/),
          stream,
        ).is([]),
    ),
  ),
  must(
    'chunk.no-message',
    onEveryChunk(
      {
        states: ['chunk-delta'],
        wrong: 'A chunk carries a message, which belongs to replies.',
        why: 'Users see the text twice when a whole message follows its fragments.',
        fix: 'Send fragments in `delta` and no `message`.',
      },
      (expect, chunk, stream) => {
        for (const choice of listAt(chunk, 'choices'))
          expect('message in a chunk', at(choice, 'message') ?? null, stream).is(null)
      },
    ),
  ),
  should(
    'chunk.text-well-formed',
    onEveryChunk(
      {
        states: ['chunk-content'],
        wrong: 'A fragment of text holds half a character.',
        why: 'Clients crash when they write half a surrogate pair to a file or a terminal.',
        fix: 'Cut fragments between code points, and replace lone surrogates.',
      },
      (expect, chunk, stream) =>
        expect('text of a fragment', (fragmentOf(chunk) ?? '').isWellFormed(), stream).is(true),
    ),
  ),
])
