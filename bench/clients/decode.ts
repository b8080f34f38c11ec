import { createServer, type Server } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { addressOf, closed, listen } from '../../reference-server/listening.ts'
import { changedChunks } from './changed-chunks.ts'
import type { Orders } from './orders.ts'
import { endings, type RecordedStream, recordedStreams, textOf } from './recorded.ts'
import { type DecodedStream, shown } from './results.ts'

type Client = Pick<Orders, 'carryOut'>

const patienceMs = 30_000
/** A reset right after the last byte would take that byte with it. */
const resetAfterMs = 50
const finished = {
  id: 'x',
  object: 'chat.completion.chunk',
  created: 1,
  model: 'small',
  choices: [{ index: 0, delta: {}, finish_reason: 'stop' }],
}
const properEnd = [`data: ${JSON.stringify(finished)}\n\n`, 'data: [DONE]\n\n']

/** Has a client read every recorded stream, from a server that does nothing but repeat it. */
export async function decode(client: Client): Promise<readonly DecodedStream[]> {
  const decoded: DecodedStream[] = []
  for (const stream of recordedStreams()) {
    const { server, ending } = stream
    const why = await wrongIn(client, stream)
    if (why === undefined) decoded.push({ server, ending, verdict: 'green' })
    else decoded.push({ server, ending, verdict: 'red', why: shown(why), ...(await placeIn(client, stream)) })
  }
  return decoded
}

/** Why its user is badly served; undefined where all is well. */
async function wrongIn(client: Client, stream: RecordedStream): Promise<string | undefined> {
  const server = repeating(stream)
  await listen(server, 0, '127.0.0.1')
  const order = {
    do: 'stream',
    baseUrl: `${addressOf(server)}/v1`,
    apiKey: 'any',
    model: 'small',
    prompt: 'Hi',
  } as const
  const givenUp = sleep(patienceMs, `no result after ${patienceMs / 1000} s`, { ref: false })
  const { error, text } = await client.carryOut(order, givenUp).finally(() => closed(server))
  if (endings[stream.ending] === 'error')
    return error === undefined ? `the reply seems whole: ${JSON.stringify(text)}` : undefined
  return error ?? (text === textOf(stream.events) ? undefined : `its user gets ${JSON.stringify(text)}`)
}

/** Where a client goes wrong: at which event, and if one decides it, by which of its fields. */
async function placeIn(client: Client, stream: RecordedStream): Promise<Pick<DecodedStream, 'event' | 'field'>> {
  const { events } = stream
  const fails = async (...some: readonly string[]): Promise<boolean> =>
    (await wrongIn(client, { ...stream, ending: 'whole', isCut: false, events: [...some, ...properEnd] })) !== undefined
  for (const [at, chunk] of events.entries()) {
    const before = events.slice(0, at)
    if (!(await fails(...before, chunk))) continue
    for (const [field, changed] of changedChunks(chunk))
      if (!(await fails(...before, changed))) return { event: at + 1, field }
    return { event: at + 1 }
  }
  // With a proper end all is well.
  return { event: events.length }
}

function repeating({ events, isCut }: RecordedStream): Server {
  return createServer((request, response) => {
    request.resume().on('end', async () => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      for (const event of events) response.write(event)
      if (!isCut) return response.end()
      await sleep(resetAfterMs)
      return response.socket?.resetAndDestroy()
    })
  })
}
