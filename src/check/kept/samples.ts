import { type Answer, isSuccess, type StreamAnswer } from '../../target/answer.ts'
import type { ChatBody } from '../../target/chat.ts'
import type { Journal, Seen } from './journal.ts'

/** What the structural checks look at. */
export interface Samples {
  /** Replies that were not streamed: at least the sample of every prompt and model, and all that other checks got. */
  replies(): Promise<readonly Seen<Answer>[]>
  /** The same for streams, including those that we left early: their `exchange.ending` is `left`. */
  streams(): Promise<readonly Seen<StreamAnswer>[]>
  /** Streams that were read to their end. */
  wholeStreams(): Promise<readonly Seen<StreamAnswer>[]>
  refusals(): Promise<readonly Answer[]>
}

/** Bodies that differ in what tends to break: long, short, cut, Unicode, a conversation, white space. */
export const sampleBodies: readonly ChatBody[] = [
  {
    messages: [
      {
        role: 'user',
        content:
          'Tell me in three sentences what an inference gateway does, for somebody who has built web services for years ' +
          'but has never run a model, and who wants to know what stands between a client and the machines that write ' +
          'its text, and who pays for it.',
      },
    ],
    max_tokens: 96,
  },
  { messages: [{ role: 'user', content: 'Name one colour.' }], max_tokens: 1 },
  { messages: [{ role: 'user', content: 'Repeat exactly: Zoë 日本語 привет 👩‍💻 e\u0301 ½' }], max_tokens: 64 },
  {
    messages: [
      { role: 'system', content: 'You answer in short sentences.' },
      { role: 'user', content: 'What is a token?' },
      { role: 'assistant', content: 'A piece of text.' },
      { role: 'user', content: 'And a stop sequence?' },
    ],
    max_tokens: 32,
    temperature: 0,
    top_p: 0.5,
  },
  {
    messages: [{ role: 'user', content: 'Write a list of five fruits,\n\none a line.' }],
    max_tokens: 32,
    stop: ['\u0001'],
  },
]

/** What every gateway should refuse. */
const badBodies: readonly (ChatBody | string)[] = ['{"broken', { model: 'assay-no-such-model' }, { temperature: 9 }]

/** Few tokens for what shows in any of them. */
const fewTokens = 16

/** Samples of a run, as opposed to those of a record. */
export interface DrawnSamples extends Samples {
  /** Asks for the samples, if that was not done yet; resolves when all were answered or could not be asked for. */
  draw(): Promise<void>
}

export interface SampleAsker {
  reply(body: ChatBody): Promise<Answer>
  refusal(body: ChatBody | string): Promise<Answer>
  stream(body: ChatBody): Promise<StreamAnswer>
}

const modelsMax = 6

/** Draws the samples once for the whole run, and adds what the journal holds when the audits read it. */
export function createSamples(
  journal: Journal,
  asker: SampleAsker,
  { models, also }: { readonly models: readonly string[]; readonly also?: ChatBody | undefined },
  settled: () => Promise<unknown>,
): DrawnSamples {
  const [main = '', ...others] = models
  const bodies = [
    ...sampleBodies.map((body) => ({ model: main, ...body })),
    ...others.slice(0, modelsMax - 1).map((model) => ({ model, ...sampleBodies[0], max_tokens: fewTokens })),
  ]
  const isAlsoStreamed = also?.['stream'] === true
  let replies: Promise<void> | undefined
  let streams: Promise<void> | undefined
  let refusals: Promise<unknown> | undefined

  const drawReplies = async (): Promise<void> => {
    const wanted = also === undefined || isAlsoStreamed ? bodies : [...bodies, { model: main, ...also }]
    const drawn = await Promise.all(wanted.map(async (asked) => ({ asked, answer: await asker.reply(asked) })))
    journal.addReplies(...drawn.filter(({ answer }) => isSuccess(answer)))
  }
  const drawStreams = async (): Promise<void> => {
    const withUsage: ChatBody = { ...bodies[0], max_tokens: fewTokens, stream_options: { include_usage: true } }
    const more = also !== undefined && isAlsoStreamed ? [{ model: main, ...also }] : []
    const asked = [...bodies, withUsage, ...more].map((body) => ({ ...body, stream: true }))
    const drawn = await Promise.all(asked.map(async (body) => ({ asked: body, answer: await asker.stream(body) })))
    journal.addStreams(...drawn.filter(({ answer }) => isSuccess(answer)))
  }

  const drawnReplies = (): Promise<void> => {
    replies ??= drawReplies()
    return replies
  }
  const drawnStreams = (): Promise<void> => {
    streams ??= drawStreams()
    return streams
  }

  /** The asker keeps them in the journal. */
  const drawnRefusals = (): Promise<unknown> => {
    refusals ??= Promise.all(badBodies.map((body) => asker.refusal(body)))
    return refusals
  }

  const samples: DrawnSamples = {
    async draw() {
      await Promise.allSettled([drawnRefusals(), drawnReplies(), drawnStreams()])
    },
    async replies() {
      await Promise.all([drawnReplies(), settled()])
      return journal.replies
    },
    async streams() {
      await Promise.all([drawnStreams(), settled()])
      return journal.streams
    },
    async wholeStreams() {
      return (await samples.streams()).filter(({ answer }) => answer.done || answer.exchange.ending !== 'left')
    },
    async refusals() {
      await Promise.all([drawnRefusals(), settled()])
      return journal.refusals
    },
  }
  return samples
}
