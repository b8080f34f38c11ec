import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Figure, figureOf } from './figures.ts'
import { type Client, type Server, serverCore, startServer } from './process.ts'
import type { FloorReplies } from './processes/floor.ts'
import { apiPath, eventsIn, jsonBody, requestText, slowStreamBody, streamBody } from './requests.ts'

/** A server that is measured without anything behind it. */
export interface Subject {
  readonly name: string
  readonly server: Server
  readonly pathOf: (row: Row) => string
}

/** One thing that is asked of every subject. */
export interface Row {
  readonly title: string
  /** On the floor, its path. */
  readonly name: 'json' | 'instant' | 'turn'
  readonly body: string
}

export const rows: readonly Row[] = [
  { title: 'JSON reply of 16 tokens', name: 'json', body: jsonBody },
  { title: 'stream of 64 tokens at once', name: 'instant', body: streamBody },
  { title: 'stream of 64 tokens, a turn of the event loop each', name: 'turn', body: slowStreamBody },
]

/** What one subject spent on a row. */
export interface Spent {
  readonly row: Row
  readonly subject: string
  /** Events of one reply; 0 for JSON. */
  readonly events: number
  /** Microseconds of CPU for a reply. */
  readonly cpuUs: Figure
  /** The same against the floor's of the same round. */
  readonly ratio: Figure
}

const rounds = 5
const connections = 16
const windowMs = 700
const warmUpMs = 1500
/** Until then the compiler is at work beside the server, on a busy machine for longer than the time above. */
const warmUpReplies = 5000

/** The floor repeats the gateway's replies; the peer is given their text in pieces of about a token's length. */
export async function startSubjects(folder: string, repliesFile: string, client: Client): Promise<readonly Subject[]> {
  const pathOf = (): string => apiPath
  const memory = await startServer(serverCore, 'ours', ['memory'])
  const sqlite = await startServer(serverCore, 'ours', [`sqlite:${join(folder, 'books.sqlite')}`])
  const replies = await repliesOf(memory, client)
  writeFileSync(repliesFile, JSON.stringify(replies))
  const text = replies.events.map((event) => /"content":"([^"]*)"/.exec(event)?.[1] ?? '').join('')
  const aimock = await startServer(serverCore, 'aimock', [text, String(Math.ceil(text.length / 64))])
  const floor = await startServer(serverCore, 'floor', [repliesFile])
  return [
    { name: 'floor', server: floor, pathOf: ({ name }) => `/${name}` },
    { name: 'aimock', server: aimock, pathOf },
    { name: 'memory', server: memory, pathOf },
    { name: 'sqlite', server: sqlite, pathOf },
  ]
}

/** The bytes of our replies, for the floor. */
async function repliesOf({ port, key }: Server, client: Client): Promise<FloorReplies> {
  const one = async (body: string): Promise<string> => {
    const request = requestText(apiPath, key, body)
    const { sample, failed } = await client.ask({ port, request, connections: 1, durationMs: 0 })
    if (failed > 0) throw new Error(`the gateway answered: ${sample}`)
    return sample
  }
  const [json, stream] = [await one(jsonBody), await one(streamBody)]
  return { json: json.slice(json.indexOf('\r\n\r\n') + 4), events: eventsIn(stream) }
}

/** Every row for every subject in each round, one after the other, so that what the machine does meets all alike. */
export async function measureAlone(subjects: readonly Subject[], client: Client): Promise<readonly Spent[]> {
  const windows: { readonly row: Row; readonly subject: string; readonly events: number; readonly cpuUs: number[] }[] =
    []
  for (const row of rows)
    for (const subject of subjects) {
      const { events } = await measure(subject, row, client, warmUpMs, warmUpReplies)
      windows.push({ row, subject: subject.name, events, cpuUs: [] })
    }
  for (let round = 0; round < rounds; round += 1)
    for (const { row, subject: name, cpuUs } of windows) {
      const subject = subjects.find((one) => one.name === name)
      if (subject !== undefined) cpuUs.push((await measure(subject, row, client, windowMs)).cpuUs)
    }
  return windows.map(({ cpuUs, ...window }) => {
    const floor = windows.find(({ row, subject }) => row === window.row && subject === 'floor')?.cpuUs ?? []
    return {
      ...window,
      cpuUs: figureOf(cpuUs),
      ratio: figureOf(cpuUs.map((us, round) => us / (floor[round] ?? Number.NaN))),
    }
  })
}

async function measure(
  { server, pathOf, name }: Subject,
  row: Row,
  client: Client,
  durationMs: number,
  repliesMin = 0,
) {
  const request = requestText(pathOf(row), server.key, row.body)
  const beforeMs = server.cpuMs()
  const order = { port: server.port, request, connections, durationMs, repliesMin }
  const { replies, failed, events, sample } = await Promise.race([client.ask(order), server.ended])
  if (replies === 0) throw new Error(`no reply of ${name} came in ${durationMs} ms, so the window is void`)
  if (failed > 0) throw new Error(`${failed} of ${replies} replies of ${name} failed, so the window is void: ${sample}`)
  return { cpuUs: ((server.cpuMs() - beforeMs) * 1000) / replies, events }
}
