import type { Seams, Wrap } from '../gateway/seams.ts'
import type { Fragment } from '../network/node.ts'
import { stopMatcher } from '../network/stop.ts'
import type { Fault } from './fault.ts'
import { asksForStream, dropping, isStream, reading, refusing } from './tools.ts'

type Generate = Seams['generate']

/** The sequences that reach the node. */
function passing(change: (stop: readonly string[], stream: boolean, model: string) => readonly string[]): Wrap {
  return {
    job: (real) => (request, model, promptTokens, call) => {
      const job = real(request, model, promptTokens, call)
      return { ...job, stop: change(job.stop, request.stream, model.id) }
    },
  }
}

/** Takes the honest node's whole text without any stop, and cuts it in a way of its own. */
function cutting(cut: (text: string, stop: readonly string[]) => string): Wrap {
  return {
    generate: (real): Generate =>
      async function* (node, job, signal, call) {
        if (job.stop.length === 0) return yield* real(node, job, signal, call)
        let text = ''
        let tokens = 0
        for await (const fragment of real(node, { ...job, stop: [] }, signal, call)) {
          text += fragment.text
          tokens += fragment.tokens
        }
        const rest = [...cut(text, job.stop)]
        for (let at = 0; at < rest.length; at += 5) {
          yield { text: rest.slice(at, at + 5).join(''), tokens: at === 0 ? tokens : 0 } satisfies Fragment
        }
        return 'stop'
      },
  }
}

/** Looks for sequences in one fragment at a time. */
function fragmentwise(real: Generate): Generate {
  return async function* (node, job, signal, call) {
    for await (const fragment of real(node, { ...job, stop: [] }, signal, call)) {
      const found = job.stop.map((one) => fragment.text.indexOf(one)).filter((at) => at !== -1)
      if (found.length > 0) {
        yield { ...fragment, text: fragment.text.slice(0, Math.min(...found)) }
        return 'stop'
      }
      yield fragment
    }
    return 'length'
  }
}

const upTo = (text: string, at: number): string => (at === -1 ? text : text.slice(0, at))
const first = (text: string, stop: readonly string[]): number => {
  const found = stop.map((one) => text.indexOf(one)).filter((at) => at !== -1)
  return found.length === 0 ? -1 : Math.min(...found)
}

/** Faults of stop sequences. */
export const stopFaults = {
  'stop-ignored': {
    about: 'Stop sequences are accepted and ignored.',
    breaks: ['stop.ends-text', 'stop.ends-stream'],
    wrap: () => passing(() => []),
  },
  'stop-ignored-in-json': {
    about: 'Stop sequences work in streams alone.',
    breaks: ['stop.ends-text'],
    wrap: () => passing((stop, stream) => (stream ? stop : [])),
  },
  'stop-ignored-in-streams': {
    about: 'Stop sequences do not work in streams.',
    breaks: ['stop.ends-stream'],
    wrap: () => passing((stop, stream) => (stream ? [] : stop)),
  },
  'stop-ignored-by-one-model': {
    about: 'One model ignores stop sequences.',
    breaks: ['stop.ends-text-each-model'],
    wrap: () => passing((stop, _, model) => (model === 'medium' ? [] : stop)),
  },
  'stop-first-of-list-only': {
    about: 'Only the first sequence of a list is honoured.',
    breaks: ['stop.every-place-in-list', 'stop.every-place-in-list-streaming'],
    wrap: () => passing((stop) => stop.slice(0, 1)),
  },
  'stop-last-of-four-forgotten': {
    about: 'The fourth sequence of a list is dropped.',
    breaks: ['stop.every-place-in-list', 'stop.every-place-in-list-streaming'],
    wrap: () => passing((stop) => stop.slice(0, 3)),
  },
  'stop-list-in-streams-first-only': {
    about: 'Streams honour the first sequence only.',
    breaks: ['stop.every-place-in-list-streaming'],
    wrap: () => passing((stop, stream) => (stream ? stop.slice(0, 1) : stop)),
  },
  'stop-string-refused': {
    about: 'A stop that is a string is refused.',
    breaks: ['stop.string-accepted'],
    wrap: () => refusing((body) => typeof body['stop'] === 'string'),
  },
  'stop-string-ignored': {
    about: 'A stop that is a string is ignored.',
    breaks: ['stop.ends-text', 'stop.ends-stream'],
    wrap: () => reading((body) => (typeof body['stop'] === 'string' ? { ...body, stop: undefined } : body)),
  },
  'stop-array-refused': {
    about: 'A stop that is an array is refused.',
    breaks: ['stop.array-accepted'],
    wrap: () => refusing((body) => Array.isArray(body['stop'])),
  },
  'stop-three-refused': {
    about: 'More than two sequences are refused.',
    breaks: ['stop.array-accepted'],
    wrap: () => refusing((body) => Array.isArray(body['stop']) && body['stop'].length > 2),
  },
  'stop-fragment-by-fragment': {
    about: 'A sequence that a fragment border cuts is not found.',
    breaks: ['stop.ends-text', 'stop.ends-stream'],
    wrap: () => ({ generate: fragmentwise }),
  },
  'stop-fragment-by-fragment-in-streams': {
    about: 'In streams a sequence that a fragment border cuts is not found.',
    breaks: ['stop.ends-stream'],
    wrap: () => ({
      generate: (real) => (node, job, signal, call) =>
        (isStream(call) ? fragmentwise(real) : real)(node, job, signal, call),
    }),
  },
  'stop-long-sequences-ignored': {
    about: 'Sequences longer than seven characters are ignored.',
    breaks: ['stop.ends-text', 'stop.ends-stream'],
    wrap: () => passing((stop) => stop.filter((one) => one.length <= 7)),
  },
  'stop-sequence-included': {
    about: 'The sequence itself stays in the text.',
    follows: ['stop.random-ends-text'],
    breaks: ['stop.sequence-not-included'],
    wrap: () =>
      cutting((text, stop) => {
        const at = first(text, stop)
        const found = stop.find((one) => text.startsWith(one, at))
        return at === -1 ? text : text.slice(0, at + (found?.length ?? 0))
      }),
  },
  'stop-prefix-leaks': {
    about: 'The first character of a longer sequence stays in the text.',
    breaks: ['stop.text-is-exact-prefix', 'chunk.text-well-formed'],
    wrap: () =>
      cutting((text, stop) => {
        const at = first(text, stop)
        const found = stop.find((one) => text.startsWith(one, at))
        return at === -1 ? text : text.slice(0, at + ((found?.length ?? 0) > 1 ? 1 : 0))
      }),
  },
  'stop-cuts-too-early': {
    about: 'The character in front of a sequence is lost.',
    follows: ['stop.random-ends-text'],
    breaks: ['stop.text-is-exact-prefix'],
    wrap: () => cutting((text, stop) => upTo(text, Math.max(-1, first(text, stop) - 1))),
  },
  'stop-tail-lost': {
    about: 'Text that is held back as the beginning of a sequence is never flushed.',
    breaks: ['stop.unmatched-changes-nothing'],
    wrap: () => ({
      generate: (real): Generate =>
        async function* (node, job, signal, call) {
          if (job.stop.length === 0) return yield* real(node, job, signal, call)
          const matcher = stopMatcher(job.stop)
          for await (const fragment of real(node, { ...job, stop: [] }, signal, call)) {
            const { text, stopped } = matcher.push(fragment.text)
            yield { ...fragment, text }
            if (stopped) return 'stop'
          }
          return 'stop'
        },
    }),
  },
  'stop-without-case': {
    about: 'Sequences are compared without case.',
    breaks: ['stop.unmatched-changes-nothing'],
    wrap: () =>
      cutting((text, stop) =>
        upTo(
          text,
          first(
            text.toLowerCase(),
            stop.map((one) => one.toLowerCase()),
          ),
        ),
      ),
  },
  'stop-as-pattern': {
    about: 'Sequences are read as regular expressions.',
    breaks: ['stop.unmatched-changes-nothing', 'stop.text-is-exact-prefix'],
    wrap: () =>
      cutting((text, stop) => {
        const found = stop
          .map((one) => {
            try {
              return text.search(new RegExp(one))
            } catch {
              return text.indexOf(one)
            }
          })
          .filter((at) => at !== -1)
        return found.length === 0 ? text : text.slice(0, Math.min(...found))
      }),
  },
  'stop-cut-at-commas': {
    about: 'A sequence that holds a comma is taken for several.',
    breaks: ['stop.unmatched-changes-nothing'],
    wrap: () => passing((stop) => stop.flatMap((one) => (/.,./.test(one) ? one.split(',') : one))),
  },
  'stop-trimmed': {
    about: 'White space around a sequence is cut off before it is searched for.',
    breaks: ['stop.text-is-exact-prefix'],
    wrap: () =>
      cutting((text, stop) =>
        upTo(
          text,
          first(
            text,
            stop.map((one) => (one.trim() === '' ? one : one.trim())),
          ),
        ),
      ),
  },
  'stop-latin-only': {
    about: 'Sequences outside ASCII are ignored.',
    breaks: ['stop.unicode'],
    wrap: () => passing((stop) => stop.filter((one) => [...one].every((character) => character < '\u0080'))),
  },
  'stop-number-coerced': {
    about: 'A stop that is a number is made a string.',
    breaks: ['stop.wrong-type-refused'],
    wrap: () => reading((body) => (typeof body['stop'] === 'number' ? { ...body, stop: String(body['stop']) } : body)),
  },
  'stop-bad-element-dropped': {
    about: 'Elements of a list that are no strings are dropped in silence.',
    breaks: ['stop.wrong-type-refused'],
    wrap: () =>
      reading((body) => {
        const list = Array.isArray(body['stop']) ? body['stop'].filter((one) => typeof one === 'string') : []
        return list.length > 0 ? { ...body, stop: list } : body
      }),
  },
  'stop-null-is-500': {
    about: 'A stop of null crashes the handler.',
    breaks: ['stop.odd-forms-no-server-error'],
    wrap: () => refusing((body) => body['stop'] === null, 500),
  },
  'stop-empty-list-is-500': {
    about: 'An empty list of sequences crashes the handler.',
    breaks: ['stop.odd-forms-no-server-error'],
    wrap: () => refusing((body) => Array.isArray(body['stop']) && body['stop'].length === 0, 500),
  },
  'stop-short-border-missed': {
    about: 'In streams a list of one sequence of four characters is not honoured.',
    breaks: ['stop.across-chunks'],
    wrap: () =>
      dropping(
        'stop',
        (stop, body) => asksForStream(body) && Array.isArray(stop) && stop.length === 1 && String(stop[0]).length === 4,
      ),
  },
  'stop-pairs-ignored': {
    about: 'Lists of two or three sequences are ignored.',
    breaks: ['stop.random-ends-text'],
    follows: ['stop.sequence-not-included'],
    wrap: () => passing((stop) => (stop.length === 2 || stop.length === 3 ? [] : stop)),
  },
  'stop-ignored-in-streams-of-one-model': {
    about: 'Streams of one model ignore stop sequences.',
    breaks: ['stop.ends-text-each-model'],
    wrap: () => passing((stop, stream, model) => (stream && model === 'large' ? [] : stop)),
  },
} as const satisfies Record<string, Fault>
