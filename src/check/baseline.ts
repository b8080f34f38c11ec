import { type Answer, contentChunks, contentOf, fragmentOf, isSuccess } from '../target/answer.ts'
import type { ChatBody } from '../target/chat.ts'
import type { CheckContext } from './context.ts'

/** What the target says to one prompt, asked three times in one mode. */
export interface Baseline {
  /** The request; a check changes one field of it. */
  readonly body: ChatBody & { readonly max_tokens: number }
  /** The three texts. */
  readonly texts: readonly string[]
  /** The text when the three agree: only then may a check foretell a reply. */
  readonly stable?: string
  /** The fragments of the first text; one in JSON. */
  readonly fragments: readonly string[]
  /** Where the texts are from. */
  readonly answers: readonly Answer[]
}

export type BaselineOf = (mode: 'json' | 'stream') => Promise<Baseline>

const body = {
  messages: [
    { role: 'user', content: 'Describe a harbour at night in a few plain sentences, with boats, lamps and rain.' },
  ],
  max_tokens: 64,
}

/** The third allows one token more: a cache that keeps what a model drew has not seen it. */
const requests: readonly ChatBody[] = [body, body, { ...body, max_tokens: body.max_tokens + 1 }]

/** How much of a text has to come again where a request allows a little more: what is added to its end is no sign of chance. */
const alikeShare = 0.5

/** Whether another text begins as the first half of this one does; nothing is alike nothing alone. */
export function beginsAlike(text: string, other: string): boolean {
  return text === '' ? other === '' : other.startsWith(text.slice(0, Math.ceil(text.length * alikeShare)))
}

/** Asked once a run and mode; every check that needs a text derives its question from it. */
export function createBaseline(context: () => Pick<CheckContext, 'probe' | 'probeStream'>): BaselineOf {
  const taken = new Map<'json' | 'stream', Promise<Baseline>>()
  return (mode) => {
    let baseline = taken.get(mode)
    if (baseline === undefined) {
      baseline = mode === 'json' ? takeJson(context()) : takeStream(context())
      taken.set(mode, baseline)
    }
    return baseline
  }
}

async function takeJson({ probe }: Pick<CheckContext, 'probe'>): Promise<Baseline> {
  const answers = await Promise.all(requests.map((request) => probe(request)))
  const texts = answers.filter(isSuccess).map((answer) => contentOf(answer) ?? '')
  return { body, texts, answers, fragments: texts.slice(0, 1), ...stability(texts) }
}

async function takeStream({ probeStream }: Pick<CheckContext, 'probeStream'>): Promise<Baseline> {
  const answers = (await Promise.all(requests.map((request) => probeStream(request)))).filter(isSuccess)
  const texts = answers.map(({ content }) => content)
  const [first] = answers
  const fragments = first === undefined ? [] : contentChunks(first).map(({ json }) => fragmentOf(json) ?? '')
  return { body, texts, answers, fragments, ...stability(texts) }
}

function stability(texts: readonly string[]): { readonly stable?: string } {
  const [first, second, longer] = texts
  return first !== undefined && first === second && longer !== undefined && beginsAlike(first, longer)
    ? { stable: first }
    : {}
}
