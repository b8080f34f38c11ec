import type { Kind } from './behaviour.ts'
import { chats, chunkOf, everywhere, headOf, listed, type Surface } from './honest-answer.ts'
import { type Answering, pieceBytes } from './server.ts'

/** Answers that never end. */
export const endlessKinds: readonly Kind[] = [
  endless('good events without end', ['stream'], '', chunkOf('word ')),
  endless('good events of nothing without end', ['stream'], '', chunkOf('')),
  endless('comments without end', ['stream'], '', ': still here\n\n'),
  endless('empty lines without end', ['stream'], '', '\n'),
  endless('data lines of one event without end', ['stream'], '', 'data: {}\n'),
  endless('a line without end', ['stream'], 'data: {"choices":[{"index":0,"delta":{"content":"', 'x'),
  endless('events after the end marker without end', ['stream'], `${chunkOf('word')}data: [DONE]\n\n`, chunkOf('more')),
  endless('JSON without end', chats, '{"a":[', '1,'),
  endless('a text without end', ['json'], '{"choices":[{"index":0,"message":{"role":"assistant","content":"', 'word '),
  endless('nesting without end', everywhere, '', '{"a":['),
  endless('white space without end', everywhere, '', ' '),
  endless('NUL without end', everywhere, '', '\0'),
  endless('bytes that are no text without end', everywhere, '', Buffer.from([0xc3, 0x28, 0xff, 0xfe])),
  endless('models without end', ['list'], '{"object":"list","data":[', `${listed(1)},`),
  {
    about: 'one byte after the other without end',
    make: (draw) => {
      const ms = draw.pick([1, 20, 200])
      return {
        how: `each after ${ms} ms`,
        async spoil(answering) {
          await answering.write(headOf(answering.honest.surface))
          for (;;) {
            await answering.write('x')
            await answering.pause(ms)
          }
        },
      }
    },
  },
  withHead('headers without end', (turn) => `X-${turn}: ${'y'.repeat(1000)}\r\n`),
  withHead('a header without end', (turn) => (turn === 0 ? 'X-Long: ' : 'y'.repeat(1000))),
  {
    about: 'interim answers without end',
    make: (draw) => {
      const status = draw.pick(['100 Continue', '102 Processing', '103 Early Hints'])
      const spoil = async (answering: Answering): Promise<void> => {
        for (;;) await answering.write(`HTTP/1.1 ${status}\r\n\r\n`.repeat(100))
      }
      return { how: status, spoil }
    },
  },
  {
    about: 'chunks of a body without end',
    make: (draw) => {
      const bytes = draw.pick([1, 100, 65_535])
      const chunk = `${bytes.toString(16)};ext="${'e'.repeat(50)}"\r\n${' '.repeat(bytes)}\r\n`
      return {
        how: `of ${bytes} bytes`,
        async spoil(answering) {
          await answering.write(headOf(answering.honest.surface, 'Transfer-Encoding: chunked\r\n'))
          for (;;) await answering.write(chunk.repeat(Math.ceil(pieceBytes / chunk.length)))
        },
      }
    },
  },
]

function endless(about: string, surfaces: readonly Surface[], start: string, piece: string | Buffer): Kind {
  const one = Buffer.from(piece)
  const many = Buffer.concat(Array.from({ length: Math.ceil(pieceBytes / one.length) }, () => one))
  return {
    about,
    surfaces,
    make: () => ({
      async spoil(answering) {
        await answering.write(headOf(answering.honest.surface) + start)
        for (;;) await answering.write(many)
      },
    }),
  }
}

function withHead(about: string, line: (turn: number) => string): Kind {
  return {
    about,
    make: () => ({
      async spoil(answering) {
        await answering.write('HTTP/1.1 200 OK\r\n')
        for (let turn = 0; ; turn += 1) await answering.write(line(turn))
      },
    }),
  }
}
