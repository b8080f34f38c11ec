import type { Got, Order, Seen } from './protocol.ts'
import type { Stand } from './stand.ts'

/** What a client is told to do, and when it did well. */
interface Task {
  readonly order: Partial<Order>
  /** Why its user is badly served; undefined where all is well. */
  wrong(got: Got, seen: readonly Seen[]): string | undefined
}

/** Something that a client of any gateway meets. */
export interface Situation {
  readonly id: string
  readonly about: string
  tasks(stand: Stand): Promise<readonly Task[]>
}

const greeting = 'Say hello to the lighthouse keeper.'
const epic = 'Tell the story of the harbor in 2500 words.'
/** More than one code unit, more than one code point, both directions, and what JSON has to escape. */
const letters = 'Zoë sagt: "日本語" 👩‍💻 e\u0301 שלום \\n ½ end'
const fragments = ['Zoë ', '日本', '語 ', '👩‍💻', ' e\u0301 ', 'שלום', ' "\\n" ', '½ ', 'end']

/** A prompt that the node behind the stand answers by a script. */
const following = (script: string, words = 'Please go on.'): string => `${words} assay-script-${script}`

const differs = (expected: string) => (got: Got) =>
  got.error ?? (got.text === expected ? undefined : `its user gets ${JSON.stringify(got.text?.slice(0, 60))}`)

const streamed = (expected: string) => (got: Got) =>
  differs(expected)(got) ?? ((got.pieces ?? 0) > 1 ? undefined : 'the stream comes in one piece')

/** Both ways to ask for the same text. */
const bothWays = (order: Partial<Order>, expected: string): readonly Task[] => [
  { order: { ...order, do: 'create' }, wrong: differs(expected) },
  { order: { ...order, do: 'stream' }, wrong: streamed(expected) },
]

/** An error that a program can tell from others by its status. */
const shows = (status: number) => (got: Got) => {
  if (got.error === undefined) return `its user gets no error but ${JSON.stringify(got.text?.slice(0, 60))}`
  return got.status === status ? undefined : `${got.status ?? 'no status'}: ${got.error}`
}

export const situations: readonly Situation[] = [
  {
    id: 'list',
    about: 'the model list',
    async tasks(stand) {
      const ids = JSON.stringify(await stand.modelIds())
      const wrong = ({ error, models }: Got) =>
        error ?? (JSON.stringify(models) === ids ? undefined : `its user sees ${JSON.stringify(models)}`)
      return [{ order: { do: 'list' }, wrong }]
    },
  },
  {
    id: 'create',
    about: 'a whole reply',
    tasks: async (stand) => bothWays({ prompt: greeting }, await stand.plainText('small', greeting)).slice(0, 1),
  },
  {
    id: 'stream',
    about: 'a stream, piece by piece',
    tasks: async (stand) => bothWays({ prompt: greeting }, await stand.plainText('small', greeting)).slice(1),
  },
  {
    id: 'abort',
    about: 'a stream that is left after its first piece; the gateway must learn of it',
    async tasks({ node, scriptedModel: model }) {
      node.script('abort', { fragments: ['word '], repeat: 400, timing: { firstToken: 0, gap: 10 } })
      const wrong = ({ error, text }: Got, seen: readonly Seen[]) => {
        if (error !== undefined || text !== 'word ') return error ?? `the first piece is ${JSON.stringify(text)}`
        return seen.some(({ left }) => left) ? undefined : 'the connection stays open, and all of the reply is paid for'
      }
      return [{ order: { do: 'abort', model, prompt: following('abort') }, wrong }]
    },
  },
  {
    id: 'wrong-key',
    about: 'a wrong key: 401',
    tasks: async () => [{ order: { do: 'create', apiKey: 'sk-assay-wrong', prompt: greeting }, wrong: shows(401) }],
  },
  {
    id: 'limit',
    about: 'a spent limit: 429 with Retry-After; a reply once the wait is over, or the error',
    async tasks(stand) {
      const apiKey = await stand.spentKey()
      const expected = await stand.plainText('small', greeting)
      const wrong = (got: Got) => (got.error === undefined ? differs(expected)(got) : shows(429)(got))
      return [{ order: { do: 'create', apiKey, prompt: greeting }, wrong }]
    },
  },
  {
    id: 'unavailable',
    about: 'a model without a node: 503 with Retry-After',
    tasks: async ({ unavailableModel: model }) => [
      { order: { do: 'create', model, prompt: greeting }, wrong: shows(503) },
    ],
  },
  {
    id: 'late-error',
    about: 'an error in mid-stream: what came so far, then an error and not an end',
    async tasks({ node, scriptedModel: model }) {
      node.script('late', { fragments: ['One ', 'two ', 'three '], fault: { kind: 'error-frame', afterChunks: 2 } })
      const wrong = ({ error, text }: Got) => {
        if (error === undefined) return `the reply seems whole: ${JSON.stringify(text)}`
        return text === 'One two ' ? undefined : `before the error its user has ${JSON.stringify(text)}`
      }
      return [{ order: { do: 'stream', model, prompt: following('late') }, wrong }]
    },
  },
  {
    id: 'long',
    about: 'a reply of more than 2000 words, whole and as a stream',
    tasks: async (stand) => bothWays({ prompt: epic }, await stand.plainText('small', epic)),
  },
  {
    id: 'unicode',
    about: 'letters of every kind, both ways',
    async tasks({ node, scriptedModel: model }) {
      node.script('unicode', { fragments })
      const prompt = following('unicode', letters)
      const arrived = (): boolean => {
        const { messages } = JSON.parse(node.records('unicode').at(-1)?.body ?? '{}') as Asked
        return messages?.at(-1)?.content === prompt
      }
      return bothWays({ model, prompt }, fragments.join('')).map(({ order, wrong }) => ({
        order,
        wrong: (got, seen) => wrong(got, seen) ?? (arrived() ? undefined : 'the prompt reaches the node changed'),
      }))
    },
  },
]

interface Asked {
  readonly messages?: readonly { readonly content?: unknown }[]
}
