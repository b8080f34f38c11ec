import type { ChatBody } from '../../target/chat.ts'
import type { NodeScript } from '../../target/nodes.ts'
import type { ExpectedReply } from './played.ts'

export interface Message {
  readonly role: 'system' | 'user' | 'assistant'
  readonly content: string
}

interface Parameters {
  readonly temperature?: number
  readonly top_p?: number
  readonly max_tokens?: number
  readonly stop?: string | readonly string[]
}

/** A request and a reply in which every value is chosen so that it shows whatever happens to it on its way. */
export interface MarkedExchange {
  readonly name: string
  /** What comes before the message that holds the prompt. */
  readonly history: readonly Message[]
  /** What stands before and after the prompt in the last message. */
  readonly around: readonly [string, string]
  readonly parameters: Parameters
  readonly fragments: readonly string[]
  readonly finishReason: 'stop' | 'length'
}

/**
 * Changes under trimming, in either Unicode form, with other line ends, in lower case, escaped as HTML or as JSON, and
 * decoded in pieces.
 */
const odd = ' \r\nZoë e\u0301 ﬁn ½ <b>&amp; "A\\n" 日本 👩‍💻\r\n '

/** Text that loosely typed programs read as a value. */
const valueLike = ['1.0', '1e3', '{"a": 1}', '007', 'null', 'true', '[1, 2]', '0']

/** More than a thousand characters. */
const longText = 'This sentence is here only to make a text long. '.repeat(30)

const conversation = (topic: string): readonly Message[] => [
  { role: 'system', content: `Answer briefly. The topic is ${topic}.` },
  { role: 'user', content: `What about ${topic}?` },
  { role: 'assistant', content: 'Noted.' },
]

/** The same question twice and the same answer twice, which none of them may lose. */
const repetition: readonly Message[] = [
  { role: 'user', content: 'Again?' },
  { role: 'assistant', content: 'Yes.' },
  { role: 'user', content: 'Again?' },
  { role: 'assistant', content: 'Yes.' },
]

/**
 * The exchanges of one round. Limits leave room for the whole reply, and no reply holds a stop sequence, because a
 * gateway may apply both by itself. Fractions are sums of powers of two, which every float holds exactly.
 */
export function markedExchanges(round: number): readonly MarkedExchange[] {
  return [...exchangesOfText(round), ...exchangesOfLengths(round)]
}

/** Exchanges whose texts and numbers are easily changed. */
function exchangesOfText(round: number): readonly MarkedExchange[] {
  return [
    {
      name: 'odd text',
      history: [
        { role: 'system', content: odd },
        { role: 'user', content: `Odd text ${round}?` },
        { role: 'assistant', content: `${longText}${odd}` },
        ...repetition,
        { role: 'user', content: longText },
        { role: 'assistant', content: odd },
        { role: 'user', content: `From here on, ${odd}` },
        { role: 'assistant', content: `${round}${odd}` },
      ],
      around: [odd, odd],
      parameters: { temperature: 1.9375, top_p: 0.9375, stop: ['§ A&B <i>END', '§\r\n', ' §½e\u0301 ', '§"q"\\'] },
      fragments: [odd, `${odd}${round}`, odd.repeat(100), odd, 'x', odd.repeat(90)],
      finishReason: 'length',
    },
    {
      name: 'zeros and repetitions',
      history: [
        { role: 'user', content: '0' },
        { role: 'assistant', content: `Zero ${round}.` },
        { role: 'user', content: '0' },
        { role: 'assistant', content: '0' },
      ],
      around: ['Now. ', ''],
      parameters: { temperature: 0, top_p: 0.0625, max_tokens: 77, stop: `§ END ${round}` },
      fragments: ['0', '0', '0', ' no', ' no', ' ', ' ', '\n', '\n', 'end', 'end', '0', '0'],
      finishReason: 'stop',
    },
    {
      name: 'text that looks like values',
      history: valueLike.map((content, at) => ({ role: at % 2 === 0 ? 'user' : 'assistant', content })),
      around: ['', ` Turn ${round}.`],
      parameters: { max_tokens: 13 },
      fragments: ['1.0', ' ', '1e3', '07'],
      finishReason: 'length',
    },
  ]
}

/** Exchanges that differ in how long they are. */
function exchangesOfLengths(round: number): readonly MarkedExchange[] {
  return [
    {
      name: 'many words',
      history: [
        ...conversation(`words ${round}`),
        { role: 'user', content: longText },
        { role: 'assistant', content: 'Noted.' },
      ],
      around: [longText, ''],
      parameters: { temperature: 0.5, top_p: 0.5 },
      fragments: Array.from({ length: 300 }, (_, at) => `word${at} `),
      finishReason: 'stop',
    },
    {
      name: 'one word',
      history: [],
      around: ['', ''],
      parameters: {},
      fragments: ['One.'],
      finishReason: 'stop',
    },
    {
      name: 'letter by letter',
      history: conversation(`letters ${round}`),
      around: ['Letters, please. ', ''],
      parameters: { temperature: 0.25, top_p: 0.75, max_tokens: 96, stop: ['§ full stop', '§2'] },
      fragments: [...'Größe, 日本語 and 👩‍💻, one by one.'],
      finishReason: 'length',
    },
    {
      name: 'no text',
      history: conversation(`nothing ${round}`),
      around: ['', ''],
      parameters: { temperature: 1, top_p: 1 },
      fragments: [],
      finishReason: 'stop',
    },
  ]
}

/** The body of its request around the prompt that the script of a node is found by. */
export function bodyOf({ history, around: [before, after], parameters }: MarkedExchange, prompt: string): ChatBody {
  return { ...parameters, messages: [...history, { role: 'user', content: `${before}${prompt}${after}` }] }
}

/** What the node is told to answer. */
export function scriptOf({ fragments, finishReason }: MarkedExchange): NodeScript {
  return { fragments, finishReason }
}

/** What a client must find in the reply. */
export function expectedReplyTo({ fragments, finishReason, history, around }: MarkedExchange): ExpectedReply {
  const text = fragments.join('')
  const prompt = [...history.map(({ content }) => content), ...around].join('').length
  return { text, finishReason, chars: { prompt, reply: text.length } }
}
