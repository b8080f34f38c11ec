export const apiPath = '/api/v1/chat/completions'

/** The prompt that makes a node of the bench take a turn of the event loop for each token. */
export const slowly = 'Say it slowly.'

/** The prompt that makes it say when each token was due, one a second. */
export const eachSecond = 'Say it once a second.'

export const quickly = 'Say hello.'

export const jsonBody = bodyOf({ content: quickly, tokensMax: 16, stream: false })
export const streamBody = bodyOf({ content: quickly, tokensMax: 64, stream: true })
export const slowStreamBody = bodyOf({ content: slowly, tokensMax: 64, stream: true })
export const crowdTokens = 20
export const crowdBody = bodyOf({ content: eachSecond, tokensMax: crowdTokens, stream: true })

interface Asked {
  readonly content: string
  readonly tokensMax: number
  readonly stream: boolean
}

function bodyOf({ content, tokensMax, stream }: Asked): string {
  return JSON.stringify({ model: 'small', messages: [{ role: 'user', content }], max_tokens: tokensMax, stream })
}

/** A request as bytes, the way a client library writes it, with `more` lines in its head. */
export function requestText(path: string, key: string, body: string, more: readonly string[] = []): string {
  const head = [
    `POST ${path} HTTP/1.1`,
    'host: 127.0.0.1',
    'content-type: application/json',
    'accept: application/json',
    'user-agent: bench',
    ...(key === '' ? [] : [`authorization: Bearer ${key}`]),
    ...more,
    `content-length: ${body.length}`,
  ]
  return `${head.join('\r\n')}\r\n\r\n${body}`
}

/** The events of a stream, each as its text. */
export function eventsIn(reply: string): readonly string[] {
  return reply.match(/^data: .*\n\n/gm) ?? []
}
