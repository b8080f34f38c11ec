import { Agent, request as begin, type ClientRequest, type IncomingMessage } from 'node:http'

/** A request as a client saw it. */
export interface Seen {
  /** 0 where there was no answer. */
  readonly status: number
  readonly requestId: string | undefined
  readonly retryAfter: string | undefined
  /**
   * `whole`: a complete answer of any status. `error event`: a stream that says that it failed. `cut`: an answer without its end.
   * `no answer`: a connection that ended before one. `left`: we went away.
   */
  readonly ending: 'whole' | 'error event' | 'cut' | 'no answer' | 'reset' | 'refused' | 'left'
  /** Of an error. */
  readonly code: string | undefined
  /** Prompt and completion together, where the answer says it. */
  readonly tokens: number | undefined
}

export interface Asking {
  readonly key: string
  readonly body: object | string
  /** Goes away so long after it asked, unless the answer is complete by then. */
  readonly leaveAfterMs?: number
}

/** A client that keeps its connections between requests, as SDKs do. */
export interface Client {
  chat(asking: Asking): Promise<Seen>
  close(): void
}

/** An error is short, a stream may be long. */
const codeWithin = 1000

export function openClient(baseUrl: string): Client {
  const agent = new Agent({ keepAlive: true })
  return {
    async chat({ key, body, leaveAfterMs }) {
      const asked = begin(`${baseUrl}/api/v1/chat/completions`, {
        method: 'POST',
        agent,
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      })
      const answer = answerTo(asked)
      asked.end(typeof body === 'string' ? body : JSON.stringify(body))
      let isLeft = false
      const leaving = setTimeout(() => {
        isLeft = true
        asked.destroy()
      }, leaveAfterMs)
      if (leaveAfterMs === undefined) clearTimeout(leaving)
      const seen = await answer
      clearTimeout(leaving)
      return isLeft ? { ...seen, ending: 'left' } : seen
    },
    close: () => agent.destroy(),
  }
}

function answerTo(asked: ClientRequest): Promise<Seen> {
  const { promise, resolve } = Promise.withResolvers<Seen>()
  let answer: IncomingMessage | undefined
  let text = ''
  const seen = (ending: Seen['ending']): void => {
    const header = (name: string): string | undefined => answer?.headers[name]?.toString()
    resolve({
      status: answer?.statusCode ?? 0,
      requestId: header('x-request-id'),
      retryAfter: header('retry-after'),
      ending,
      code: /"code":"(\w+)"/.exec(text.slice(0, codeWithin))?.[1],
      tokens: ending === 'whole' ? tokensIn(text) : undefined,
    })
  }
  asked.on('error', (error: NodeJS.ErrnoException) => seen(endingOf(error)))
  asked.on('response', (response) => {
    answer = response.setEncoding('utf8')
    response.on('data', (piece: string) => {
      text += piece
    })
    response.on('error', (error: NodeJS.ErrnoException) => seen(error.message === 'aborted' ? 'cut' : endingOf(error)))
    response.on('end', () => seen(wholeness(response, text)))
  })
  return promise
}

/** Node gives the same code to a connection that was reset and to one that ended in good order before the answer. */
function endingOf({ code, message }: NodeJS.ErrnoException): Seen['ending'] {
  if (code === 'ECONNREFUSED') return 'refused'
  return message === 'socket hang up' ? 'no answer' : 'reset'
}

function wholeness({ statusCode, headers }: IncomingMessage, text: string): Seen['ending'] {
  const isStream = statusCode === 200 && headers['content-type']?.startsWith('text/event-stream') === true
  if (!isStream || text.endsWith('data: [DONE]\n\n')) return 'whole'
  return text.includes('data: {"error":') ? 'error event' : 'cut'
}

function tokensIn(text: string): number | undefined {
  const [, total] = /"usage":\{[^}]*"total_tokens":(\d+)/.exec(text) ?? []
  return total === undefined ? undefined : Number(total)
}
