import type { CheckContext } from '../check/context.ts'
import { type Answer, contentChunks, contentOf, fragmentOf, isSuccess } from '../target/answer.ts'
import type { ChatBody } from '../target/chat.ts'

/** What the target answers to one prompt, asked again in one mode with the same sampling. */
export interface Baseline {
  /** The request; a check changes one field of it. */
  readonly body: ChatBody & { readonly max_tokens: number }
  /** Whether the request has the usual sampling, with which others can ask too. */
  readonly isUsual: boolean
  /** The texts; of a model that never says the same, also those at temperature 0. */
  readonly texts: readonly string[]
  /** How many requests for a text were not served. */
  readonly refused: number
  /** The text, if three agree: only then may a check expect a text. */
  readonly stable?: string
  /** The fragments of the first text, or of the longest where they differ; in JSON there is one. */
  readonly fragments: readonly string[]
  /** The answers that the texts come from. */
  readonly answers: readonly Answer[]
}

const usualBody = {
  messages: [
    { role: 'user', content: 'Describe a harbour at night in a few plain sentences, with boats, lamps and rain.' },
  ],
  max_tokens: 64,
}

/** For models that choose their words at random at the usual temperature. */
const coldBody = { ...usualBody, temperature: 0 }

/** For those that do so at temperature 0 too. The contract does not name `seed`, so it may be refused or ignored. */
const seededBody = { ...coldBody, seed: 7 }

type Body = Baseline['body']

/** From the usual sampling to the steadiest. */
const bodies: readonly Body[] = [usualBody, coldBody, seededBody]

/** How much of a text must come again when a request allows a little more: additions at its end are no sign of chance. */
const alikeShare = 0.5

/** Whether another text begins as the first half of this one does; an empty text matches only an empty text. */
export function beginsAlike(text: string, other: string): boolean {
  return text === '' ? other === '' : other.startsWith(text.slice(0, Math.ceil(text.length * alikeShare)))
}

type Means = Pick<CheckContext, 'once' | 'sampler' | 'witness'>

/** Asked once for each run and mode; every check that needs a text derives its question from it. */
export async function baselineOf(means: Means, mode: 'json' | 'stream'): Promise<Baseline> {
  const { once, sampler, witness } = means
  const ways = mode === 'json' ? bodies : bodiesAfter(await baselineOf(means, 'json'))
  const take = mode === 'json' ? takeJson : takeStream
  const baseline = await once(`the baseline in ${mode}`, () => firstStable(ways, (body) => take(sampler, body)))
  for (const answer of baseline.answers) witness(answer)
  return baseline
}

/** A model that varies in replies does so in streams as well. */
function bodiesAfter({ stable, body }: Baseline): readonly Body[] {
  return stable === undefined ? [usualBody] : bodies.slice(bodies.indexOf(body))
}

/** In the first of these ways in which the texts agree; if there is none, what the first two of them brought. */
async function firstStable(ways: readonly Body[], take: (body: Body) => Promise<Baseline>): Promise<Baseline> {
  const unstable: Baseline[] = []
  for (const way of ways) {
    const baseline = await take(way)
    if (baseline.stable !== undefined) return baseline
    unstable.push(baseline)
  }
  const [usual, cold] = unstable
  if (usual === undefined) throw new Error('there is no way to ask for a text')
  if (cold === undefined) return usual
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

type Asker = CheckContext['sampler']

async function takeJson({ probe }: Asker, body: Body): Promise<Baseline> {
  const answers = await upToThree(body, probe, (answer) => contentOf(answer) ?? '')
  const texts = answers.filter(isSuccess).map((answer) => contentOf(answer) ?? '')
  return { ...takenFrom(body, answers, texts), fragments: texts.slice(0, 1) }
}

async function takeStream({ probeStream }: Asker, body: Body): Promise<Baseline> {
  const answers = await upToThree(body, probeStream, ({ content }) => content)
  const served = answers.filter(isSuccess)
  const taken = takenFrom(
    body,
    answers,
    served.map(({ content }) => content),
  )
  // The texts of a model that never says the same may be empty.
  const [shown] = taken.stable === undefined ? served.toSorted((a, b) => b.content.length - a.content.length) : served
  const fragments = shown === undefined ? [] : contentChunks(shown).map(({ json }) => fragmentOf(json) ?? '')
  return { ...taken, fragments }
}

/** The third allows one token more, so that a cache cannot answer it with an earlier text. Where two differ, it tells nothing. */
async function upToThree<A extends Answer>(
  body: Body,
  ask: (body: Body) => Promise<A>,
  textOf: (answer: A) => string,
): Promise<readonly A[]> {
  const [one, other] = await Promise.all([ask(body), ask(body)])
  if (!isSuccess(one) || !isSuccess(other) || textOf(one) !== textOf(other)) return [one, other]
  return [one, other, await ask({ ...body, max_tokens: body.max_tokens + 1 })]
}

function takenFrom(body: Body, answers: readonly Answer[], texts: readonly string[]): Omit<Baseline, 'fragments'> {
  const served = answers.filter(isSuccess)
  const [first, second, longer] = texts
  const isStable = first !== undefined && first === second && longer !== undefined && beginsAlike(first, longer)
  return {
    body,
    isUsual: body === usualBody,
    texts,
    refused: answers.length - served.length,
    answers: served,
    ...(isStable && { stable: first }),
  }
}
