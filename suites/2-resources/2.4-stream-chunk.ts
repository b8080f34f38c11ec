import { onEveryChunk, onEveryStream } from '../../src/check/audits.ts'
import { clause, must } from '../../src/check/check.ts'
import { departures } from '../../src/contract/schema.ts'
import { streamChunkSchema } from '../../src/contract/stream-chunk.ts'
import { at, isRecord, listAt, textAt } from '../../src/target/json.ts'

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
        expect('id of a chunk', at(chunk, 'id'), stream).satisfies(
          'a string that is not empty',
          (textAt(chunk, 'id') ?? '') !== '',
        ),
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
        expect('choices of a chunk', at(chunk, 'choices'), stream).satisfies(
          'an array',
          Array.isArray(at(chunk, 'choices')),
        ),
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
      (expect, chunk, stream) => {
        for (const choice of listAt(chunk, 'choices'))
          expect('delta of a choice', at(choice, 'delta'), stream).satisfies('an object', isRecord(at(choice, 'delta')))
      },
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
      (expect, chunk, stream) => {
        for (const choice of listAt(chunk, 'choices')) {
          const content = at(choice, 'delta', 'content')
          expect('content of a delta', content ?? null, stream).satisfies(
            'a string, null or nothing',
            content == null || typeof content === 'string',
          )
        }
      },
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
  must(
    'chunk.matches-schema',
    onEveryChunk(
      {
        states: ['chunk-choices', 'chunk-id'],
        why: 'Clients generated from the schema refuse a chunk that does not match it.',
        fix: 'Compare the chunk with the schema of clause 2.4, field by field.',
      },
      (expect, chunk, stream) => {
        const rest = departures(streamChunkSchema, chunk).filter((sentence) => !ownChecks.test(sentence))
        expect('departures from the schema', rest, stream).is([])
      },
    ),
  ),
])

const ownChecks =
  /^\/(?:id|choices\/\d+\/(?:index|delta))|must have required property '(?:id|choices|index|delta)'|^\/choices must be array/
