import { type TargetConfig, tellingKeyLength } from '../target/config.ts'
import { type Prepared, preflightModel } from '../target/prepare.ts'

/** What a user should know of a run before reading its verdicts: none of it is a failure of the target. */
export function noticesOf(
  { keys, model }: Pick<TargetConfig, 'keys' | 'model'>,
  { roster, works, streamsUnasked, model: inUse }: Pick<Prepared, 'roster' | 'works' | 'streamsUnasked' | 'model'>,
): readonly string[] {
  const { main } = keys
  const isShort = main !== undefined && main.length < tellingKeyLength
  const isListed = roster.some(({ id }) => id === model)
  return [
    ...(isShort
      ? [
          `The key has ${main.length} ${main.length === 1 ? 'character' : 'characters'}, which may stand in any text: whether answers repeat it is not judged. Use one of ${tellingKeyLength} or more.`,
        ]
      : []),
    ...(model !== undefined && roster.length > 0 && !isListed && (works.json || works.stream)
      ? [
          `The model ${model} answers and is not in the list of models: what the list says of a model is not judged of it.`,
        ]
      : []),
    ...(inUse === preflightModel
      ? [`The list names no model, and any is answered: ${inUse} is asked for. Name another with --model.`]
      : []),
    ...(inUse === undefined
      ? ['The list names no model, and none was given: no reply is asked for. Name one with --model.']
      : []),
    ...(streamsUnasked === true
      ? ['Without the field stream no reply comes, so every request for one says "stream": false.']
      : []),
  ]
}
