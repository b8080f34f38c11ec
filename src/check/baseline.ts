import { type Answer, contentChunks, contentOf, fragmentOf, isSuccess } from '../target/answer.ts'
import type { ChatBody } from '../target/chat.ts'
import type { CheckContext } from './context.ts'

/** What the target says to one prompt, asked three times in one mode with nothing changed. */
export interface Baseline {
  /** The request; a check changes one field of it. */
  readonly body: ChatBody
  /** The three texts. */
  readonly texts: readonly string[]
  /** The text when all three agree: only then may a check foretell a reply. */
  readonly stable?: string
  /** The fragments of the first text; one in JSON. */
  readonly fragments: readonly string[]
  /** Where the texts are from. */
  readonly answers: readonly Answer[]
}

export type BaselineOf = (mode: 'json' | 'stream') => Promise<Baseline>

const body: ChatBody = {
  messages: [
    { role: 'user', content: 'Describe a harbour at night in a few plain sentences, with boats, lamps and rain.' },
  ],
  max_tokens: 64,
}

const repeats = 3

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
  const answers = await Promise.all(Array.from({ length: repeats }, () => probe(body)))
  const texts = answers.filter(isSuccess).map((answer) => contentOf(answer) ?? '')
  return { body, texts, answers, fragments: texts.slice(0, 1), ...stability(texts) }
}

async function takeStream({ probeStream }: Pick<CheckContext, 'probeStream'>): Promise<Baseline> {
  const answers = (await Promise.all(Array.from({ length: repeats }, () => probeStream(body)))).filter(isSuccess)
  const texts = answers.map(({ content }) => content)
  const [first] = answers
  const fragments = first === undefined ? [] : contentChunks(first).map(({ json }) => fragmentOf(json) ?? '')
  return { body, texts, answers, fragments, ...stability(texts) }
}

function stability(texts: readonly string[]): { readonly stable?: string } {
  const [first] = texts
  return first !== undefined && texts.length === repeats && texts.every((text) => text === first)
    ? { stable: first }
    : {}
}
