import { readFileSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import { listen } from './listen.ts'

/**
 * The floor: a bare `node:http` server that answers with bytes it was given and reads nothing. `/json` and `/instant` answer at
 * once, `/turn` writes an event in each turn of the event loop, and any other path is a model that takes its time.
 */
export interface FloorReplies {
  readonly json: string
  readonly events: readonly string[]
}

/** The slow model: a hundred of its streams are under way at once, and one core keeps up with them. */
const firstMs = 50
const gapMs = 20
const slowTokens = 12

const [file = ''] = process.argv.slice(2)
const replies: FloorReplies = JSON.parse(readFileSync(file, 'utf8'))
const slowEvents = [...replies.events.slice(0, slowTokens + 1), ...replies.events.slice(-2)]
const jsonHead = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(replies.json) }
const streamHead = { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' }

await listen(
  createServer((request, response) => {
    if (request.url === '/json') {
      response.writeHead(200, jsonHead).end(replies.json)
      return
    }
    response.writeHead(200, streamHead)
    if (request.url === '/instant') sendAll(response)
    else if (request.url === '/turn') sendByTurns(response, 0)
    else setTimeout(sendByTime, firstMs, response, 0)
  }),
)

function sendAll(response: ServerResponse): void {
  for (const event of replies.events) response.write(event)
  response.end()
}

function sendByTurns(response: ServerResponse, at: number): void {
  const event = replies.events[at]
  if (event === undefined) response.end()
  else {
    response.write(event)
    setImmediate(sendByTurns, response, at + 1)
  }
}

function sendByTime(response: ServerResponse, at: number): void {
  const event = slowEvents[at]
  if (event === undefined) response.end()
  else {
    response.write(event)
    setTimeout(sendByTime, gapMs, response, at + 1)
  }
}
