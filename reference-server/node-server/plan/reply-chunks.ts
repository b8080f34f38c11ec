import type { Content, Dialect, Json } from '../dialect/dialect.ts'
import type { Script } from '../script/script.ts'

/** A chunk of a stream, and which fragment it is due with. */
export interface Chunk {
  readonly json: Json
  readonly fragment: number
  readonly hasText: boolean
}

/** A whole reply, as the dialect has it and the script changes it. */
export function jsonReply(content: Content, { usageWhere, extra }: Script, dialect: Dialect): Json {
  const { usage, choices, ...reply } = dialect.reply(content)
  const whole = { ...reply, choices: overlaid(choices, 'message', extra?.delta, extra?.choice) }
  return { ...whole, ...(usageWhere !== 'never' && { usage }), ...extra?.reply }
}

/** The chunks of a stream, in the order that all dialects have: the role, the text, the finish reason, the usage. */
export function streamChunks(
  content: Content,
  { extra }: Script,
  usageWhere: NonNullable<Script['usageWhere']>,
  dialect: Dialect,
): Chunk[] {
  const { fragments, finishReason, usage } = content
  const forms = dialect.chunks(content, usageWhere === 'own-chunk')
  const last = Math.max(0, fragments.length - 1)
  const isJoined = fragments.length > 0 && dialect.joinsFinish?.(finishReason) === true
  const chunk = (form: Json, fragment: number, { hasText = false, hasUsage = usageWhere === 'every-chunk' }): Chunk => {
    const choices = overlaid(form['choices'], 'delta', hasText ? extra?.delta : undefined, extra?.choice)
    return { json: { ...form, choices, ...(hasUsage && { usage }), ...extra?.chunk }, fragment, hasText }
  }
  const spoken = isJoined ? fragments.slice(0, -1) : fragments
  const finish = forms.finish(finishReason, isJoined ? fragments[last] : undefined)
  const hasUsage = usageWhere === 'every-chunk' || usageWhere === 'last-chunk'
  return [
    ...(forms.role === undefined ? [] : [chunk(forms.role, 0, {})]),
    ...spoken.map((text, at) => chunk(forms.text(text, at === 0), at, { hasText: true })),
    chunk(finish, last, { hasText: isJoined, hasUsage }),
    ...(usageWhere === 'own-chunk' ? [chunk(forms.usage, last, { hasUsage: true })] : []),
  ]
}

/** The choices with a script's fields over them and over what they carry. */
function overlaid(choices: unknown, carried: 'message' | 'delta', over: Json = {}, overChoice: Json = {}): Json[] {
  return (choices as readonly Json[]).map((choice) => ({
    ...choice,
    [carried]: { ...(choice[carried] as Json), ...over },
    ...overChoice,
  }))
}
