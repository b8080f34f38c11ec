import { stopMatcher } from '../../../reference-server/network/stop.ts'
import { cachingReplies } from '../../wraps/cache.ts'
import { asksForStream, dropping, reading, refusing } from '../../wraps/request.ts'
import { endingTextWhere, type Generate, passingStops } from '../../wraps/stop.ts'
import { isStream } from '../../wraps/stream.ts'
import { onRandomEngine } from '../../wraps/words.ts'
import type { Fault } from '../fault.ts'

/** Gateways that the checks of `suites/2-resources/2.1-stop.ts` must notice. */
export const stopFaults = {
  'equal-stops-refused': {
    about: 'A list that names the same stop sequence twice is refused.',
    breaks: ['stop.array-accepted'],
    wrap: () => refusing(({ stop }) => Array.isArray(stop) && new Set(stop).size < stop.length),
  },
  'cache-forgets-stop': {
    about: 'Replies to prompts with a digit come from a cache that ignores stop sequences.',
    breaks: ['stop.own-sequence-per-request'],
    follows: ['stop.late-in-text'],
    wrap: () =>
      cachingReplies(
        ({ messages }) => /\d/.test(messages.at(-1)?.content ?? ''),
        (body) => JSON.stringify([body['model'], body['messages'], body['tokensMax']]),
      ),
  },
  'cold-cache-forgets-stop': {
    about: 'Replies at temperature 0 come from a cache that ignores stop sequences.',
    breaks: ['stop.ends-text'],
    wrap: () =>
      cachingReplies(
        ({ temperature }) => temperature === 0,
        ({ model, messages, tokensMax, temperature, stream, stop }) =>
          JSON.stringify([model, messages, tokensMax, stream, temperature === 0 || stop]),
      ),
  },
  'short-cache-forgets-stop': {
    about: 'Replies of up to 50 tokens come from a cache that ignores stop sequences.',
    breaks: ['stop.own-sequence-per-request'],
    wrap: () =>
      cachingReplies(
        ({ tokensMax }, call) => tokensMax <= 50 && !isStream(call),
        ({ stop: _stop, stream: _stream, key: _key, ...asked }) => JSON.stringify(asked),
      ),
  },
  'stop-string-refused-in-streams': {
    about: 'Streams refuse a stop that is a string.',
    breaks: ['stop.string-accepted'],
    wrap: () => refusing((body) => asksForStream(body) && typeof body['stop'] === 'string'),
  },
  'stop-blank-refused': {
    about: 'A stop of nothing but white space is refused as empty.',
    breaks: ['stop.string-accepted'],
    wrap: () =>
      refusing((body) => typeof body['stop'] === 'string' && body['stop'] !== '' && body['stop'].trim() === ''),
  },
  'stop-sought-in-the-beginning': {
    about: 'Stop sequences are looked for only in the first thousand characters of a reply.',
    breaks: ['stop.late-in-text'],
    wrap: () => ({
      generate: (real) =>
        async function* (node, job, signal, call) {
          if (job.stop.length === 0) return yield* real(node, job, signal, call)
          const matcher = stopMatcher(job.stop)
          let length = 0
          const reply = real(node, { ...job, stop: [] }, signal, call)
          for (;;) {
            const step = await reply.next()
            if (step.done) {
              yield { text: matcher.end().text, tokens: 0 }
              return step.value
            }
            length += step.value.text.length
            const { text, stopped } =
              length < 1000 ? matcher.push(step.value.text) : { text: step.value.text, stopped: false }
            yield { ...step.value, text }
            if (stopped) return 'stop'
          }
        },
    }),
  },
  'stop-search-never-goes-back': {
    about:
      'After a partial match fails, the search for a stop sequence never goes back, so overlapping matches are missed.',
    breaks: ['stop.repeated-letters'],
    follows: ['stop.random-ends-text', 'stop.text-is-exact-prefix', 'stop.across-chunks', 'stop.at-the-end'],
    wrap: () =>
      endingTextWhere((text, stop) => {
        const found = stop.map((one) => withoutGoingBack(text, one)).filter((at) => at >= 0)
        return found.length === 0 ? undefined : Math.min(...found)
      }),
  },
  'long-stop-ignored': {
    about: 'A stop sequence of more than 64 characters is ignored.',
    breaks: ['stop.long-sequences'],
    wrap: () => passingStops((stop) => stop.filter((one) => one.length <= 64)),
  },
  'stop-ignored': {
    about: 'Stop sequences are accepted and ignored.',
    breaks: ['stop.ends-text'],
    wrap: () => passingStops(() => []),
  },
  'stop-ignored-on-a-random-engine': {
    about: 'Stop sequences are ignored by an engine that says words of chance.',
    breaks: ['stop.ends-text'],
    wrap: () => onRandomEngine(passingStops(() => [])),
  },
  'stop-ignored-in-streams-on-a-random-engine': {
    about: 'Stop sequences do not work in the streams of an engine that says words of chance.',
    breaks: ['stop.ends-stream'],
    wrap: () => onRandomEngine(passingStops((stop, stream) => (stream ? [] : stop))),
  },
  'stop-fragment-by-fragment-on-a-random-engine': {
    about: 'In streams of words of chance, a stop sequence split across fragments is not found.',
    breaks: ['stop.across-chunks'],
    follows: ['stop.random-ends-text'],
    wrap: () => onRandomEngine({ generate: searchingFragmentsOfStreams }),
  },
  'stop-ignored-in-json': {
    about: 'Stop sequences work only in streams.',
    breaks: ['stop.ends-text'],
    wrap: () => passingStops((stop, stream) => (stream ? stop : [])),
  },
  'stop-ignored-in-streams': {
    about: 'Stop sequences do not work in streams.',
    breaks: ['stop.ends-stream'],
    wrap: () => passingStops((stop, stream) => (stream ? [] : stop)),
  },
  'stop-ignored-by-one-model': {
    about: 'One model ignores stop sequences.',
    breaks: ['stop.ends-text-each-model'],
    wrap: () => passingStops((stop, _, model) => (model === 'medium' ? [] : stop)),
  },
  'stop-first-of-list-only': {
    about: 'Only the first stop sequence of a list is honoured.',
    breaks: ['stop.every-place-in-list', 'stop.every-place-in-list-streaming'],
    wrap: () => passingStops((stop) => stop.slice(0, 1)),
  },
  'stop-last-of-four-forgotten': {
    about: 'The fourth stop sequence of a list is dropped.',
    breaks: ['stop.every-place-in-list', 'stop.every-place-in-list-streaming'],
    wrap: () => passingStops((stop) => stop.slice(0, 3)),
  },
  'stop-list-in-streams-first-only': {
    about: 'Streams honour only the first stop sequence of a list.',
    breaks: ['stop.every-place-in-list-streaming'],
    wrap: () => passingStops((stop, stream) => (stream ? stop.slice(0, 1) : stop)),
  },
  'stop-string-refused': {
    about: 'A stop that is a string is refused.',
    breaks: ['stop.string-accepted'],
    wrap: () => refusing((body) => typeof body['stop'] === 'string'),
  },
  'stop-string-ignored': {
    about: 'A stop that is a string is ignored.',
    breaks: ['stop.ends-text'],
    wrap: () => reading((body) => (typeof body['stop'] === 'string' ? { ...body, stop: undefined } : body)),
  },
  'stop-array-refused': {
    about: 'A stop that is an array is refused.',
    breaks: ['stop.array-accepted'],
    wrap: () => refusing((body) => Array.isArray(body['stop'])),
  },
  'stop-three-refused': {
    about: 'More than two stop sequences are refused.',
    breaks: ['stop.array-accepted'],
    wrap: () => refusing((body) => Array.isArray(body['stop']) && body['stop'].length > 2),
  },
  'stop-fragment-by-fragment': {
    about: 'A stop sequence split across fragments is not found.',
    breaks: ['stop.ends-text'],
    wrap: () => ({ generate: searchingEachFragment }),
  },
  'stop-fragment-by-fragment-in-streams': {
    about: 'In streams, a stop sequence split across fragments is not found.',
    breaks: ['stop.ends-stream'],
    wrap: () => ({ generate: searchingFragmentsOfStreams }),
  },
  'stop-long-sequences-ignored': {
    about: 'Stop sequences longer than seven characters are ignored.',
    breaks: ['stop.ends-text'],
    wrap: () => passingStops((stop) => stop.filter((one) => one.length <= 7)),
  },
  'stop-short-border-missed': {
    about: 'In streams, a list of one four-character stop sequence is ignored.',
    breaks: ['stop.across-chunks'],
    wrap: () =>
      dropping(
        'stop',
        (stop, body) => asksForStream(body) && Array.isArray(stop) && stop.length === 1 && String(stop[0]).length === 4,
      ),
  },
  'stop-pairs-ignored': {
    about: 'Lists of two or three stop sequences are ignored.',
    breaks: ['stop.random-ends-text'],
    follows: ['stop.sequence-not-included'],
    wrap: () => passingStops((stop) => (stop.length === 2 || stop.length === 3 ? [] : stop)),
  },
  'stop-ignored-in-streams-of-one-model': {
    about: 'Streams of one model ignore stop sequences.',
    breaks: ['stop.ends-text-each-model'],
    wrap: () => passingStops((stop, stream, model) => (stream && model === 'large' ? [] : stop)),
  },
} as const satisfies Record<string, Fault>

/** Where a search that does not go back after a mismatch finds a text; -1 where it does not. */
function withoutGoingBack(text: string, sought: string): number {
  let agreed = 0
  for (let at = 0; at < text.length; at += 1) {
    if (text[at] === sought[agreed]) agreed += 1
    else agreed = text[at] === sought[0] && agreed === 0 ? 1 : 0
    if (agreed === sought.length) return at - agreed + 1
  }
  return -1
}

/** Looks for stop sequences in one fragment at a time. */
function searchingEachFragment(real: Generate): Generate {
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

function searchingFragmentsOfStreams(real: Generate): Generate {
  return (node, job, signal, call) => (isStream(call) ? searchingEachFragment(real) : real)(node, job, signal, call)
}
