import type { Wrap } from '../../../reference-server/gateway/seams.ts'
import type { Fragment } from '../../../reference-server/network/node.ts'
import { stopMatcher } from '../../../reference-server/network/stop.ts'
import { replyChoices } from '../../wraps/reply.ts'
import { reading, refusing } from '../../wraps/request.ts'
import { endingTextWhere, type Generate, passingStops } from '../../wraps/stop.ts'
import { onRandomEngine, randomWords } from '../../wraps/words.ts'
import type { Fault } from '../fault.ts'

/** Gateways that the checks of `suites/2-resources/2.1-stop-text.ts` must notice. */
export const stopTextFaults = {
  'finish-reason-always-length': {
    about: 'Every reply has finish_reason `length`.',
    breaks: ['stop.finish-reason'],
    wrap: () => replyChoices((choice) => ({ ...choice, finish_reason: 'length' })),
  },
  'finish-reason-length-at-stop': {
    about: 'A reply ended by a stop sequence has finish_reason `length`.',
    breaks: ['stop.finish-reason'],
    wrap: sayingLengthAtStops,
  },
  'stop-only-first-element-checked': {
    about: 'Only the first element of a list of stop sequences has to be a string.',
    breaks: ['stop.wrong-type-refused'],
    wrap: () =>
      reading((body) => {
        const [first] = Array.isArray(body['stop']) ? body['stop'] : []
        return typeof first === 'string' && first.length < 2
          ? { ...body, stop: [body['stop']].flat().map(String) }
          : body
      }),
  },
  'stop-of-five-is-500': {
    about: 'More than four stop sequences crash the handler.',
    breaks: ['stop.odd-forms-no-server-error'],
    wrap: () => refusing((body) => Array.isArray(body['stop']) && body['stop'].length > 4, 500),
  },
  'stop-of-great-length-is-500': {
    about: 'A stop sequence of thousands of characters crashes the handler.',
    breaks: ['stop.odd-forms-no-server-error'],
    wrap: () => refusing((body) => typeof body['stop'] === 'string' && body['stop'].length > 4000, 500),
  },
  'stop-at-the-end-kept': {
    about: 'A stop sequence at the very end of the reply stays in the text.',
    breaks: ['stop.at-the-end'],
    wrap: () =>
      endingTextWhere((text, stop) => {
        const found = stop
          .filter((one) => text.includes(one) && text.indexOf(one) + one.length < text.length)
          .map((one) => text.indexOf(one))
        return found.length === 0 ? undefined : Math.min(...found)
      }),
  },
  'stop-sequence-included': {
    about: 'The stop sequence itself stays in the text.',
    follows: ['stop.random-ends-text'],
    breaks: ['stop.sequence-not-included'],
    wrap: () =>
      cuttingText((text, stop) => {
        const at = firstPlace(text, stop)
        const found = stop.find((one) => text.startsWith(one, at))
        return at === -1 ? text : text.slice(0, at + (found?.length ?? 0))
      }),
  },
  'stop-prefix-leaks': {
    about: 'The first character of a longer stop sequence stays in the text.',
    breaks: ['stop.text-is-exact-prefix', 'chunk.text-well-formed'],
    wrap: () =>
      cuttingText((text, stop) => {
        const at = firstPlace(text, stop)
        const found = stop.find((one) => text.startsWith(one, at))
        return at === -1 ? text : text.slice(0, at + ((found?.length ?? 0) > 1 ? 1 : 0))
      }),
  },
  'stop-cuts-too-early': {
    about: 'The character before a stop sequence is lost.',
    follows: ['stop.random-ends-text'],
    breaks: ['stop.text-is-exact-prefix'],
    wrap: () => cuttingText((text, stop) => upTo(text, Math.max(-1, firstPlace(text, stop) - 1))),
  },
  'stop-tail-lost': {
    about: 'Text held back as the possible beginning of a stop sequence is never sent.',
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
    about: 'Stop sequences are matched without regard to case.',
    breaks: ['stop.unmatched-changes-nothing'],
    wrap: () =>
      cuttingText((text, stop) =>
        upTo(
          text,
          firstPlace(
            text.toLowerCase(),
            stop.map((one) => one.toLowerCase()),
          ),
        ),
      ),
  },
  'stop-as-pattern': {
    about: 'Stop sequences are read as regular expressions.',
    breaks: ['stop.unmatched-changes-nothing', 'stop.text-is-exact-prefix'],
    wrap: () => cuttingText((text, stop) => upTo(text, firstMatch(text, stop))),
  },
  'stop-as-pattern-on-a-random-engine': {
    about: 'Stop sequences are read as regular expressions by an engine that says words of chance.',
    breaks: ['stop.unmatched-changes-nothing'],
    wrap: () => onRandomEngine(cuttingText((text, stop) => upTo(text, firstMatch(text, stop)))),
  },
  'stop-length-said-on-a-random-engine': {
    about: 'Replies of words of chance that a stop sequence ended have finish_reason `length`.',
    breaks: ['stop.finish-reason'],
    wrap: () => onRandomEngine(sayingLengthAtStops(), () => randomWords(20, 80)),
  },
  'stop-cut-at-commas': {
    about: 'A stop sequence that contains a comma is split into several.',
    breaks: ['stop.unmatched-changes-nothing'],
    wrap: () => passingStops((stop) => stop.flatMap((one) => (/.,./.test(one) ? one.split(',') : one))),
  },
  'stop-trimmed': {
    about: 'White space around a stop sequence is trimmed before it is matched.',
    breaks: ['stop.text-is-exact-prefix'],
    wrap: () =>
      cuttingText((text, stop) =>
        upTo(
          text,
          firstPlace(
            text,
            stop.map((one) => (one.trim() === '' ? one : one.trim())),
          ),
        ),
      ),
  },
  'stop-latin-only': {
    about: 'Stop sequences with characters outside ASCII are ignored.',
    breaks: ['stop.unicode'],
    wrap: () => passingStops((stop) => stop.filter((one) => [...one].every((character) => character < '\u0080'))),
  },
  'stop-number-coerced': {
    about: 'A stop that is a number is converted to a string.',
    breaks: ['stop.wrong-type-refused'],
    wrap: () => reading((body) => (typeof body['stop'] === 'number' ? { ...body, stop: String(body['stop']) } : body)),
  },
  'stop-bad-element-dropped': {
    about: 'Elements of a stop list that are not strings are silently dropped.',
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
    about: 'An empty list of stop sequences crashes the handler.',
    breaks: ['stop.odd-forms-no-server-error'],
    wrap: () => refusing((body) => Array.isArray(body['stop']) && body['stop'].length === 0, 500),
  },
} as const satisfies Record<string, Fault>

/** Asks the node for its whole text, without stop sequences, and cuts it as `cut` says. */
function cuttingText(cut: (text: string, stop: readonly string[]) => string): Wrap {
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

function upTo(text: string, at: number): string {
  return at === -1 ? text : text.slice(0, at)
}

/** Where the first stop sequence begins; -1 where there is none. */
function firstPlace(text: string, stop: readonly string[]): number {
  const found = stop.map((one) => text.indexOf(one)).filter((at) => at !== -1)
  return found.length === 0 ? -1 : Math.min(...found)
}

/** Where the first stop sequence, read as a regular expression, begins; -1 where there is none. */
function firstMatch(text: string, stop: readonly string[]): number {
  const found = stop
    .map((one) => {
      try {
        return text.search(new RegExp(one))
      } catch {
        return text.indexOf(one)
      }
    })
    .filter((at) => at !== -1)
  return found.length === 0 ? -1 : Math.min(...found)
}

/** Says `length` of every reply to a request with stop sequences. */
function sayingLengthAtStops(): Wrap {
  return replyChoices((choice, _, call) => ({
    ...choice,
    finish_reason: (call.body?.stop.length ?? 0) > 0 ? 'length' : choice['finish_reason'],
  }))
}
