import { countOf } from '../count.ts'
import { type TargetConfig, tellingKeyLength } from '../target/config.ts'
import { type Prepared, preflightModel } from '../target/prepare.ts'

/** What a user should know of a run before reading its verdicts: none of it is a failure of the target. */
export function noticesOf(
  { keys, model, nodes }: Pick<TargetConfig, 'keys' | 'model' | 'nodes'>,
  { roster, works, streamsUnasked, model: inUse }: Pick<Prepared, 'roster' | 'works' | 'streamsUnasked' | 'model'>,
): readonly string[] {
  const { main } = keys
  const isShort = main !== undefined && main.length < tellingKeyLength
  const isListed = roster.some(({ id }) => id === model)
  return [
    ...(isShort
      ? [
          `The key has only ${countOf(main.length, 'character')} and could occur in any text by chance, so leaks of it are not judged. Use one of ${tellingKeyLength} or more.`,
        ]
      : []),
    ...(model !== undefined && roster.length > 0 && !isListed && (works.json || works.stream)
      ? [`The model ${model} answers but is not in the model list, so its listed properties are not judged.`]
      : []),
    ...(model === undefined && roster.length === 0 && inUse !== undefined && inUse === nodes?.model
      ? [
          `The model list names no model, so the run asks for ${inUse}, which --nodes names. Pass --model to name another.`,
        ]
      : []),
    ...(inUse === preflightModel
      ? [
          `The model list names no model, but this server answers any name, so the run asks for ${inUse}. Pass --model to name another.`,
        ]
      : []),
    ...(inUse === undefined
      ? [
          'The model list names no model or cannot be read, and --model names none either, so no reply can be asked for. Pass --model.',
        ]
      : []),
    ...(streamsUnasked === true
      ? ['This server replies only where "stream" is set, so every plain request sends "stream": false.']
      : []),
  ]
}
