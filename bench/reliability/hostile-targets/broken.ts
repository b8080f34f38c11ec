import type { Kind } from './behaviour.ts'
import type { Answering } from './server.ts'

/** Answers that stop, or that come slowly. */
export const brokenKinds: readonly Kind[] = [
  cutAt('is cut', (answering) => answering.reset()),
  cutAt('ends', (answering) => answering.end()),
  cutAt('stalls', () => {}),
  {
    about: 'an answer that comes a few bytes at a time',
    make: (draw) => {
      const bytes = draw.pick([1, 7])
      const ms = draw.pick([1, 30, 100])
      return {
        how: `${bytes} each ${ms} ms`,
        async spoil(answering) {
          for (let at = 0; at < answering.honest.bytes.length; at += bytes) {
            await answering.write(answering.honest.bytes.subarray(at, at + bytes))
            await answering.pause(ms)
          }
        },
      }
    },
  },
  { about: 'no answer at all', make: () => ({ spoil: () => {} }) },
  {
    about: 'an answer that is late',
    make: (draw) => {
      const ms = draw.pick([500, 3000, 20_000])
      return {
        how: `by ${ms} ms`,
        async spoil(answering) {
          await answering.pause(ms)
          await answering.write(answering.honest.bytes)
        },
      }
    },
  },
  {
    about: 'a target that is gone from then on',
    make: () => ({ spoil: (answering) => answering.die() }),
  },
  {
    about: 'an honest answer, while the clock of the machine jumps',
    clockJumps: true,
    make: () => ({ spoil: (answering) => answering.write(answering.honest.bytes) }),
  },
]

/** At a byte of a short answer, its head included, and with each request one byte later. */
function cutAt(what: string, act: (answering: Answering) => void): Kind {
  return {
    about: `an answer that ${what}`,
    make: (draw) => {
      const first = draw.between(0, 600)
      return {
        how: `after byte ${first} and on`,
        async spoil(answering) {
          const { bytes } = answering.honest
          await answering.write(bytes.subarray(0, (first + answering.index) % bytes.length))
          act(answering)
        },
      }
    },
  }
}
