import type { CheckContext } from '../check/context.ts'
import { type Answer, contentChunks, contentOf, fragmentOf, isSuccess } from '../target/answer.ts'
import type { ChatBody } from '../target/chat.ts'

/** What the target answers to one prompt, asked three times in one mode with the same sampling. */
export interface Baseline {
  /** The request; a check changes one field of it. */
  readonly body: ChatBody & { readonly max_tokens: number }
  /** Whether the request has the usual sampling, with which others can ask too. */
  readonly isUsual: boolean
  /** The three texts; of a model that never says the same, also those at temperature 0. */
  readonly texts: readonly string[]
  /** How many requests for a text were not served. */
  readonly refused: number
  /** The text, if all three agree: only then may a check expect a text. */
  readonly stable?: string
  /** The fragments of the first text, or of the longest where they differ; in JSON there is one. */
  readonly fragments: readonly string[]
  /** The answers that the texts come from. */
  readonly answers: readonly Answer[]
}

const body = {
  messages: [
    { role: 'user', content: 'Describe a harbour at night in a few plain sentences, with boats, lamps and rain.' },
  ],
  max_tokens: 64,
}

/** For models that choose their words at random at the usual temperature. */
const coldBody = { ...body, temperature: 0 }

/** For those that do so at temperature 0 too. The contract does not name `seed`, so it may be refused or ignored. */
const seededBody = { ...coldBody, seed: 7 }

/** The third allows one token more, so that a cache cannot answer it with an earlier text. */
function thrice(request: Baseline['body']): readonly ChatBody[] {
  return [request, request, { ...request, max_tokens: request.max_tokens + 1 }]
}

/** How much of a text must come again when a request allows a little more: additions at its end are no sign of chance. */
const alikeShare = 0.5

/** Whether another text begins as the first half of this one does; an empty text matches only an empty text. */
export function beginsAlike(text: string, other: string): boolean {
  return text === '' ? other === '' : other.startsWith(text.slice(0, Math.ceil(text.length * alikeShare)))
}

/** Asked once for each run and mode; every check that needs a text derives its question from it. */
export async function baselineOf(
  { once, sampler, witness }: Pick<CheckContext, 'once' | 'sampler' | 'witness'>,
  mode: 'json' | 'stream',
): Promise<Baseline> {
  const baseline = await once(`the baseline in ${mode}`, () => take(mode === 'json' ? takeJson : takeStream, sampler))
  for (const answer of baseline.answers) witness(answer)
  return baseline
}

type Asker = CheckContext['sampler']

/** At the usual temperature; if the texts differ, in the first steadier way in which they agree. */
async function take(ask: (asker: Asker, body: Baseline['body']) => Promise<Baseline>, asker: Asker): Promise<Baseline> {
  const usual = await ask(asker, body)
  if (usual.stable !== undefined) return usual
  const cold = await ask(asker, coldBody)
  if (cold.stable !== undefined) return { ...cold, isUsual: false }
  const seeded = await ask(asker, seededBody)
  if (seeded.stable !== undefined) return { ...seeded, isUsual: false }
  return {
    ...usual,
    texts: [...usual.texts, ...cold.texts],
    answers: [...usual.answers, ...cold.answers],
    refused: usual.refused + cold.refused,
  }
}

/** Why no text can be expected. */
export function whyUnstable({ refused }: Pick<Baseline, 'refused'>): string {
  return refused === 0
    ? 'the model says something different each time'
    : `${refused} of the requests for a text were not served`
}

async function takeJson({ probe }: Asker, body: Baseline['body']): Promise<Baseline> {
  const answers = await Promise.all(thrice(body).map((request) => probe(request)))
  const texts = answers.filter(isSuccess).map((answer) => contentOf(answer) ?? '')
  const refused = answers.length - texts.length
  return { body, isUsual: true, texts, refused, answers, fragments: texts.slice(0, 1), ...stability(texts) }
}

async function takeStream({ probeStream }: Asker, body: Baseline['body']): Promise<Baseline> {
  const asked = await Promise.all(thrice(body).map((request) => probeStream(request)))
  const answers = asked.filter(isSuccess)
  const refused = asked.length - answers.length
  const texts = answers.map(({ content }) => content)
  const stable = stability(texts)
  // The texts of a model that never says the same may be empty.
  const [shown] =
    stable.stable === undefined ? answers.toSorted((a, b) => b.content.length - a.content.length) : answers
  const fragments = shown === undefined ? [] : contentChunks(shown).map(({ json }) => fragmentOf(json) ?? '')
  return { body, isUsual: true, texts, refused, answers, fragments, ...stable }
}

function stability(texts: readonly string[]): { readonly stable?: string } {
  const [first, second, longer] = texts
  return first !== undefined && first === second && longer !== undefined && beginsAlike(first, longer)
    ? { stable: first }
    : {}
}
