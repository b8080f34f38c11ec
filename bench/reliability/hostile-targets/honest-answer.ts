/** What a client asked for: the surfaces that a behaviour can spoil. */
export type Surface = 'list' | 'json' | 'stream'
export const everywhere: readonly Surface[] = ['list', 'json', 'stream']
export const chats: readonly Surface[] = ['json', 'stream']

/** An honest answer as it goes over the wire. */
export interface HonestAnswer {
  readonly surface: Surface
  readonly bytes: Buffer
}

/** The model that the hostile server lists and serves. */
const model = { id: 'tiny', object: 'model', owned_by: 'nobody', pricing: price(0.1) }

function price(usd: number): object {
  return { prompt: usd, completion: usd, unit: 'per_million_tokens' }
}

/** One entry of a model list of any length. */
export function listed(index: number): string {
  return JSON.stringify({ ...model, id: index === 0 ? model.id : `tiny-${index}` })
}

/** A good chunk with this text. */
export function chunkOf(content: string, finishReason: string | null = null): string {
  const choice = { index: 0, delta: { content }, finish_reason: finishReason }
  const chunk = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: model.id, choices: [choice] }
  return `data: ${JSON.stringify(chunk)}\n\n`
}

/** A head for a body that ends with its connection. */
export function headOf(surface: Surface, more = '', status = 200): string {
  return `HTTP/1.1 ${status} Some Reason\r\nContent-Type: ${typeOf(surface)}\r\nConnection: close\r\n${more}\r\n`
}

/** What a small and honest gateway answers: a list of one model, and replies of as many words as are allowed. */
export function honestAnswer(method: string, path: string, body: string): HonestAnswer {
  if (method === 'GET' && path.endsWith('/models')) return withLength('list', `{"object":"list","data":[${listed(0)}]}`)
  if (method !== 'POST' || !path.endsWith('/chat/completions')) return withLength('json', '{"error":{}}', 404)
  const asked = parsed(body)
  if (!Array.isArray(asked['messages'])) return withLength('json', '{"error":{"message":"no messages"}}', 400)
  const limit = asked['max_tokens']
  const count = typeof limit === 'number' && limit >= 1 ? Math.min(limit, 12) : 12
  const words = Array.from({ length: count }, (_, at) => `word${at} `)
  const reason = count < 12 ? 'length' : 'stop'
  if (asked['stream'] === true) {
    const chunks = words.map((word, at) => chunkOf(word, at + 1 === count ? reason : null))
    return withLength('stream', `${chunks.join('')}data: [DONE]\n\n`)
  }
  const choice = { index: 0, message: { role: 'assistant', content: words.join('') }, finish_reason: reason }
  const usage = { prompt_tokens: 5, completion_tokens: count, total_tokens: 5 + count }
  const completion = {
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1,
    model: model.id,
    choices: [choice],
    usage,
  }
  return withLength('json', JSON.stringify(completion))
}

function parsed(body: string): Readonly<Record<string, unknown>> {
  try {
    return Object(JSON.parse(body))
  } catch {
    return {}
  }
}

function withLength(surface: Surface, body: string, status = 200): HonestAnswer {
  const length = Buffer.byteLength(body)
  const head = `HTTP/1.1 ${status} Some Reason\r\nContent-Type: ${typeOf(surface)}\r\nContent-Length: ${length}\r\n\r\n`
  return { surface, bytes: Buffer.from(head + body) }
}

function typeOf(surface: Surface): string {
  return surface === 'stream' ? 'text/event-stream' : 'application/json'
}
