import { isRecord, listAt, parseJson } from '../../src/json.ts'
import { parseSse } from '../../src/sse/parser.ts'

type Fields = Readonly<Record<string, unknown>>
type Changed<Value> = readonly [field: string, value: Value]

/** What chunks of the format have, and a stream may lack. */
const usual = { id: 'x', object: 'chat.completion.chunk', created: 1, model: 'small' }
const usualChoice = { index: 0, finish_reason: null }

/** Events that differ from this one in a field of its chunk: each that it has is taken out, each usual one that it lacks is put in. */
export function changedChunks(event: string): readonly Changed<string>[] {
  const [frame] = parseSse(Buffer.from(event))
  const chunk = frame?.kind === 'event' ? parseJson(frame.data) : undefined
  if (!isRecord(chunk)) return []
  const choices = listAt(chunk, 'choices')
  const withChoice = withUsual(choices[0], usualChoice, 'choices[0].').map(
    ([field, choice]) => [field, { ...chunk, choices: choices.with(0, choice) }] as const,
  )
  return [...without(chunk, ''), ...withUsual(chunk, usual, ''), ...withChoice].map(([field, changed]) => [
    field,
    `data: ${JSON.stringify(changed)}\n\n`,
  ])
}

/** Each field taken out, at any depth; lists stay. */
function without(value: unknown, prefix: string): readonly Changed<Fields>[] {
  if (!isRecord(value)) return []
  return Object.entries(value).flatMap(([name, inner]): readonly Changed<Fields>[] => {
    const place = `${prefix}${name}`
    const put = (part: unknown): Fields => ({ ...value, [name]: part })
    if (Array.isArray(inner))
      return inner.flatMap((one, at) =>
        without(one, `${place}[${at}].`).map(([field, part]) => [field, put(inner.with(at, part))] as const),
      )
    const { [name]: _, ...rest } = value
    return [...without(inner, `${place}.`).map(([field, part]) => [field, put(part)] as const), [place, rest]]
  })
}

/** Each usual field put in where it is missing. */
function withUsual(value: unknown, fields: Fields, prefix: string): readonly Changed<Fields>[] {
  if (!isRecord(value)) return []
  return Object.entries(fields)
    .filter(([name]) => !(name in value))
    .map(([name, one]) => [`no ${prefix}${name}`, { ...value, [name]: one }])
}
