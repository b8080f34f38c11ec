import type { CheckContext } from '../check/context.ts'
import { type Range, temperatureRange, topPRange } from '../contract/bounds.ts'
import { briefOf, chatText } from '../target/chat.ts'
import { isServed, unserved } from '../target/served.ts'

type Parameter = 'temperature' | 'top_p'

/** A sampling parameter. */
export interface SamplingSubject {
  /** The first part of its checks' ids. */
  readonly area: 'temperature' | 'top-p'
  readonly name: Parameter
  readonly range: Range
}

/** The two of them, which differ only in name and range. */
export const samplingSubjects: readonly SamplingSubject[] = [
  { area: 'temperature', name: 'temperature', range: temperatureRange },
  { area: 'top-p', name: 'top_p', range: topPRange },
]

type Mode = 'json' | 'stream'

/** Expects a value to be accepted, spelt as given. */
export async function accepts(
  { ask, askStream, model, prepared, expect }: CheckContext,
  name: Parameter,
  literal: string,
  mode: Mode,
  id = model,
): Promise<void> {
  const body = withLiteral({ model, prepared }, name, literal, id, mode === 'stream')
  const answer = mode === 'json' ? await ask(body) : await askStream(body)
  expect(`status for ${name}: ${literal}`, answer.status, answer).isStatus('2xx')
}

/** Expects a value to be refused. */
export async function refuses(
  { probe, probeStream, model, prepared, expect }: CheckContext,
  name: Parameter,
  value: number,
  mode: Mode,
  id = model,
): Promise<void> {
  const body = withLiteral({ model, prepared }, name, String(value), id, mode === 'stream')
  const answer = mode === 'json' ? await probe(body) : await probeStream(body)
  expect(`status for ${name}: ${value} (${mode})`, answer.status, answer).satisfies(
    mode === 'json' ? 'no 2xx' : unserved,
    !isServed(answer),
  )
}

/** The brief request with a number spelt as given: JSON.stringify would write 2.0 as 2 and NaN as null. */
export function withLiteral(
  { model, prepared }: Pick<CheckContext, 'model' | 'prepared'>,
  name: Parameter,
  literal: string,
  id = model,
  stream = false,
): string {
  return chatText(id, { ...briefOf(prepared), [name]: 'LITERAL', ...(stream ? { stream } : {}) }).replace(
    '"LITERAL"',
    literal,
  )
}
