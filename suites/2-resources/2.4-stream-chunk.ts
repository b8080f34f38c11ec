import { onEveryChunk, onEveryStream } from '../../src/asking/audits.ts'
import { clause, must } from '../../src/check/check.ts'
import { mismatchesAt } from '../../src/contract/schema.ts'
import { streamChunkSchema } from '../../src/contract/stream-chunk.ts'
import { at, isRecord, listAt, textAt } from '../../src/json.ts'

export const streamChunk = clause('2.4', [
  must(
    'chunk.is-json',
    onEveryStream(
      {
        states: ['events-are-chunks'],
        why: 'Every client parses the data of an event as JSON, and throws where it is none.',
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
        why: 'Accumulators pin the id of the first chunk and stumble over one without.',
        fix: 'Put the id into every chunk: the first, the last, and those that carry usage or filter data.',
      },
      (expect, chunk, stream) =>
        expect('departures of the id of a chunk', mismatchesAt(streamChunkSchema, chunk, /^\/id|'id'/), stream).is([]),
    ),
  ),
  must(
    'chunk.id-constant',
    onEveryStream(
      {
        states: ['chunk-id-constant'],
        why: 'Accumulators in several languages fail when the id changes within a reply.',
        fix: 'Draw the id once a reply.',
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
        why: 'A chunk whose choices are null or missing breaks every loop over them.',
        fix: 'Send `choices` as an array in every chunk, an empty one with usage.',
      },
      (expect, chunk, stream) =>
        expect(
          'departures of the choices of a chunk',
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
        why: 'A client that meets a new index opens a new choice.',
        fix: 'Put the number of the choice into `index`: 0 for the only one.',
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
        why: 'A delta that is null or missing throws in most clients.',
        fix: 'Send `delta` as an object in every choice, an empty one in the last.',
      },
      (expect, chunk, stream) =>
        expect('departures of a delta', mismatchesAt(streamChunkSchema, chunk, /\/delta must|'delta'/), stream).is([]),
    ),
  ),
  must(
    'chunk.content',
    onEveryChunk(
      {
        states: ['chunk-content'],
        why: 'A fragment that is no text can not be appended to one.',
        fix: 'Send `content` as a string, as null, or not at all.',
      },
      (expect, chunk, stream) =>
        expect('departures of a fragment', mismatchesAt(streamChunkSchema, chunk, /\/delta\/content/), stream).is([]),
    ),
  ),
  must(
    'chunk.no-message',
    onEveryChunk(
      {
        states: ['chunk-delta'],
        why: 'A whole message behind its fragments shows the text twice.',
        fix: 'Send fragments in `delta` and no `message`.',
      },
      (expect, chunk, stream) => {
        for (const choice of listAt(chunk, 'choices'))
          expect('message in a chunk', at(choice, 'message') ?? null, stream).is(null)
      },
    ),
  ),
])
