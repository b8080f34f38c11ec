import type { Call } from '../../reference-server/gateway/seams.ts'
import { replyText } from '../../reference-server/network/text.ts'
import { asJson } from '../wraps/json.ts'
import { anyOf, randomWords, speaking } from '../wraps/words.ts'
import type { Variant } from './variant.ts'

const story =
  'The old harbour lies quiet tonight. Lamps swing over wet stones, and three boats knock against the pier. ' +
  'Rain comes in from the north, softly at first, then harder, until the water and the sky are one grey wall.'

/** Legal gateways whose models say unusual texts. */
export const textVariants = {
  'text-random': {
    reported: true,
    about: 'Every call gets different words, whatever the temperature; the contract promises no determinism.',
    group: 'text',
    wrap: () => speaking(() => `${randomWords(20, 80)}.`),
  },
  'text-of-random-sentences': {
    reported: true,
    about: 'An engine that simulates a model says sentences of a short list in random order, one to eight of them.',
    group: 'text',
    wrap: () => speaking(() => anyOf(stockSentences, 1 + Math.floor(Math.random() * 8))),
  },
  'text-random-unless-seeded': {
    about:
      'Every call gets different words, except with a seed, which decides them; the contract promises no determinism.',
    group: 'text',
    wrap: () => {
      const seeded = new WeakSet<Call>()
      return {
        validate: (real) => (value, call) => {
          if (asJson(value)['seed'] !== undefined) seeded.add(call)
          return real(value, call)
        },
        ...speaking((job, call) => (seeded.has(call) ? replyText(job.messages, 90) : randomWords(60))),
      }
    },
  },
  'text-drawn-above-zero': {
    about:
      'Every call gets different words, except at temperature 0, where it gets the most likely ones, as with real models.',
    group: 'text',
    wrap: () => speaking((job) => (job.temperature === 0 ? replyText(job.messages, 90) : `${randomWords(60)}.`)),
  },
  'text-with-an-end-of-chance': {
    about:
      'A reply repeats the last message and adds a few words that differ each time; the contract promises no determinism.',
    group: 'text',
    wrap: () => speaking(({ messages }) => `${whatWasSaid(messages)} ${randomWords(5)}.`),
  },
  'text-kept-by-a-cache': {
    about:
      'A model draws new words, but a cache keeps them for the same request in the same mode; nothing forbids that.',
    group: 'text',
    wrap: () => {
      const kept = new Map<string, string>()
      return speaking((_, { body }) => {
        const request = JSON.stringify(body)
        const text = kept.get(request) ?? randomWords(80)
        kept.set(request, text)
        return text
      })
    },
  },
  'text-random-length': {
    about: 'Replies vary in length from nothing to long; the contract promises no length.',
    group: 'text',
    wrap: () => speaking(() => randomWords(Math.floor(Math.random() ** 2 * 120))),
  },
  'text-alternates': {
    about: 'Calls get two texts in turn; the contract promises no determinism.',
    group: 'text',
    wrap: () => speaking((_, { number }) => (number % 2 === 0 ? story : numbered(16))),
  },
  'text-sometimes-empty': {
    about: 'Every third reply is empty; an empty string is a text.',
    group: 'text',
    wrap: () => speaking(({ messages }, { number }) => (number % 3 === 0 ? '' : replyText(messages, 2))),
  },
  'text-ends-at-the-limit': {
    about: 'A text that differs each time ends by itself exactly at a small odd limit, as any text may by chance.',
    group: 'text',
    wrap: () =>
      speaking(({ tokensMax }) =>
        (tokensMax % 2 === 1 && tokensMax < 8 ? 'So '.repeat(tokensMax) : randomWords(60)).trim(),
      ),
  },
  'text-one-of-two': {
    about: 'One of two nodes answers, by chance, each with its own text; the contract promises no determinism.',
    group: 'text',
    wrap: () => speaking(() => (Math.random() < 0.5 ? story : numbered(16))),
  },
  'text-sometimes-short': {
    about: 'A model that usually says the same ends early one time in ten; the contract promises no determinism.',
    group: 'text',
    wrap: () => speaking(() => (Math.random() < 0.1 ? story.slice(0, 70) : story)),
  },
  'text-one-word': {
    reported: true,
    about: 'Every reply is one word; the contract promises no length.',
    group: 'text',
    wrap: () => speaking(() => 'Yes'),
  },
  'text-one-character': {
    about: 'Every reply is one character; the contract promises no length.',
    group: 'text',
    wrap: () => speaking(() => '4'),
  },
  'text-empty': {
    about: 'Every reply is empty; an empty string is a text.',
    // Hidden tokens would be counted, and tokens without any text look like text that was lost.
    group: ['text', 'count'],
    wrap: () => speaking(() => ''),
  },
  'text-one-space': {
    about: 'Every reply is one space; white space is text.',
    group: 'text',
    wrap: () => speaking(() => ' '),
  },
  'text-very-long': {
    reported: true,
    about: 'Replies without a limit run to thousands of tokens; the contract promises no length.',
    group: 'text',
    wrap: () => speaking(() => numbered(400)),
  },
  'text-ignores-prompt': {
    reported: true,
    about: 'Every reply is the same text; the contract promises nothing about what a model says.',
    group: 'text',
    wrap: () => speaking(() => story),
  },
  'text-refuses': {
    about: 'Every reply is a polite refusal; the contract promises nothing about what a model says.',
    group: 'text',
    wrap: () => speaking(() => "I'm sorry, but I can't help with that request."),
  },
  'text-echoes-prompt': {
    about: 'Every reply is the last message and nothing more; the contract promises nothing about what a model says.',
    group: 'text',
    wrap: () => speaking(({ messages }) => whatWasSaid(messages)),
  },
  'text-cjk': {
    about: 'Replies are Japanese, one token per character; text is Unicode.',
    group: 'text',
    wrap: () => speaking(() => '夜の港は静かで、灯りが濡れた石畳に揺れている。雨が北から来る。'.repeat(3)),
  },
  'text-emoji': {
    about: 'Replies are emoji of several code points, one code point per chunk; text is Unicode.',
    group: 'text',
    wrap: () => speaking(() => '👩‍💻🏳️‍🌈👍🏽🇯🇵e\u0301 '.repeat(9)),
  },
  'text-without-white-space': {
    about: 'Replies are one long word; the contract promises nothing about what a model says.',
    group: 'text',
    wrap: () => speaking(() => 'lighthouse-keeper/harbour.rain:'.repeat(8)),
  },
  'text-one-letter-again-and-again': {
    about: 'Replies repeat the letter a, as small models do, so equal fragments follow each other.',
    group: 'text',
    wrap: () => speaking(() => 'a'.repeat(300)),
  },
  'text-fragments-equal': {
    about: 'Replies repeat one word, so every fragment equals the one before it; a model may repeat itself.',
    group: 'text',
    wrap: () => speaking(() => ' no'.repeat(40)),
  },
  'text-halves-equal': {
    about: 'The second half of each reply equals the first; a model may repeat itself.',
    group: 'text',
    wrap: () => speaking(() => `${story} `.repeat(2)),
  },
  'text-halves-equal-in-64-tokens': {
    about: 'The first 64 tokens have two equal halves; a model may repeat itself.',
    group: 'text',
    wrap: () =>
      speaking(
        () => ' rain and wind and'.repeat(60),
        (text) => text.match(/ \w+/g) ?? [],
      ),
  },
  'text-words-doubled': {
    about: 'Every word comes twice in a row, each in a chunk of its own; a model may stammer.',
    group: 'text',
    wrap: () =>
      speaking(
        () =>
          story
            .split(' ')
            .flatMap((word) => [` ${word}`, ` ${word}`])
            .join(''),
        (text) => text.match(/ \S+/g) ?? [],
      ),
  },
  'text-mostly-line-breaks': {
    about: 'Replies begin and end with line breaks and contain many more; white space is text.',
    group: 'text',
    wrap: () => speaking(() => `\n\n  ${'- a line\r\n\r\n\t'.repeat(20)}\n\n`),
  },
  'text-looks-like-events': {
    about: 'Replies quote an event stream, including its last line; inside JSON that is text like any other.',
    group: 'text',
    wrap: () => speaking(() => `Write: data: {"id":"x"}\n\ndata: [DONE]\n\n${story}`),
  },
  'text-looks-like-http': {
    about: 'Replies quote an HTTP head; inside JSON that is text like any other.',
    group: 'text',
    wrap: () =>
      speaking(
        () => `HTTP/1.1 200 OK\r\nDate: today\r\n\r\n${story}`,
        (text) => text.match(/.{1,24}/gs) ?? [],
      ),
  },
  'text-looks-like-an-error': {
    about: 'Replies are the JSON of an error with a stack trace; a model may quote one.',
    group: 'text',
    wrap: () =>
      speaking(() => `{"error":{"message":"Traceback: at handler (/app/node.js:1:1) 10.0.0.7:8000","code":500}}`),
  },
  'text-with-line-separators': {
    about: 'Replies contain U+2028, U+0085, form feeds and NUL; JSON carries every code point.',
    group: 'text',
    wrap: () => speaking(() => 'one\u2028two\u2029three\u0085four\ffive\u0000six\u001b[0m seven '.repeat(5)),
  },
  'text-with-replacement-characters': {
    about: 'Replies contain U+FFFD because the model said it, as when asked about broken text.',
    group: 'text',
    wrap: () => speaking(() => `A broken character looks like \ufffd, or like Ã© where é was meant. ${story}`),
  },
} as const satisfies Record<string, Variant>

function numbered(count: number): string {
  return Array.from({ length: count }, (_, index) => `Line ${index + 1} of the answer.`).join(' ')
}

const stockSentences = [
  'Testing, testing 1,2,3.',
  'I am fine, how are you today?',
  'Today is a nice sunny day.',
  'The temperature here is twenty-five degrees centigrade.',
  'The rest is silence.',
  'Give a man a fish and you feed him for a day.',
]

function whatWasSaid(messages: readonly { readonly content: string }[]): string {
  return (messages.at(-1)?.content ?? '').toWellFormed().slice(0, 4000)
}
