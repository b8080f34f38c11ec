import { gzipSync } from 'node:zlib'
import type { Kind } from './behaviour.ts'
import { chats, chunkOf, everywhere, headOf, listed, type Surface } from './honest-answer.ts'
import { type Answering, pieceBytes } from './server.ts'

/** Answers that end, far beyond any use. */
export const largeKinds: readonly Kind[] = [
  large('one event', ['stream'], [1, 5, 50], 'data: {"choices":[{"index":0,"delta":{"content":"', 'x', '"}}]}\n\n'),
  large('one reply', ['json'], [1, 10, 100], '{"choices":[{"index":0,"message":{"content":"', 'y', '"}}]}'),
  large('a model id', ['list'], [1, 10, 50], '{"object":"list","data":[{"id":"', 'm', '"}]}'),
  large('a number', chats, [1, 10], '{"usage":', '9', '}'),
  large('an error', everywhere, [1, 20], '{"error":{"message":"', 'e', '"}}', 500),
  large('nesting', everywhere, [1, 5], '', '[', ''),
  {
    about: 'many tiny events',
    surfaces: ['stream'],
    make: (draw) => {
      const count = draw.pick([10_000, 100_000, 1_000_000])
      const spoil = repeated(chunkOf('w'), count, 'data: [DONE]\n\n')
      return { how: `${count} of them`, spoil }
    },
  },
  {
    about: 'a long list of models',
    surfaces: ['list'],
    make: (draw) => {
      const count = draw.pick([1000, 20_000, 100_000])
      return {
        how: `${count} of them`,
        async spoil(answering) {
          await answering.write(`${headOf('list')}{"object":"list","data":[${listed(0)}`)
          for (let at = 1; at < count; at += 100) {
            await answering.write(Array.from({ length: 100 }, (_, plus) => `,${listed(at + plus)}`).join(''))
          }
          await answering.write(']}')
          answering.end()
        },
      }
    },
  },
  {
    about: 'a gzip bomb',
    make: (draw) => {
      const megabytes = draw.pick([10, 100])
      const bomb = gzipSync(Buffer.alloc(megabytes * 1024 * 1024))
      return {
        how: `of ${megabytes} MB`,
        async spoil(answering) {
          await answering.write(headOf(answering.honest.surface, 'Content-Encoding: gzip\r\n'))
          await answering.write(bomb)
          answering.end()
        },
      }
    },
  },
]

function large(
  about: string,
  surfaces: readonly Surface[],
  sizes: readonly [number, ...number[]],
  start: string,
  filling: string,
  end: string,
  status = 200,
): Kind {
  return {
    about: `${about} that is large`,
    surfaces,
    make: (draw) => {
      const megabytes = draw.pick(sizes)
      return {
        how: `${megabytes} MB`,
        async spoil(answering) {
          await answering.write(headOf(answering.honest.surface, '', status) + start)
          for (let at = 0; at < megabytes * 16; at += 1) await answering.write(filling.repeat(pieceBytes))
          await answering.write(end)
          answering.end()
        },
      }
    },
  }
}

function repeated(text: string, count: number, end: string): (answering: Answering) => Promise<void> {
  const perWrite = 500
  return async (answering) => {
    await answering.write(headOf(answering.honest.surface))
    for (let at = 0; at < count; at += perWrite) await answering.write(text.repeat(perWrite))
    await answering.write(end)
    answering.end()
  }
}
