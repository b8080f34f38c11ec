import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Figure, figureOf } from '../server/figures.ts'
import { type Client, type Server, serverCore, startClient, startServer } from '../server/process.ts'
import { apiPath, jsonBody, requestText, streamBody } from '../server/requests.ts'

const pairs = 31
const windowMs = 500
const connections = 32

const bodies = { 'JSON reply of 16 tokens': jsonBody, 'stream of 64 tokens at once': streamBody }

/**
 * What the log of requests costs the API at saturation: the CPU of a gateway that keeps it, for a reply, against that of one
 * that keeps none, in interleaved pairs. The CPU is that of the whole process, with the thread of the store.
 */
export async function measureLogCost(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'assay-bench-'))
  const client = startClient()
  const kept = await startServer(serverCore, 'logged', [`sqlite:${join(folder, 'kept.sqlite')}`, '7'])
  const none = await startServer(serverCore, 'logged', [`sqlite:${join(folder, 'none.sqlite')}`, '0'])
  try {
    for (const [title, body] of Object.entries(bodies)) {
      const { median, least, most } = await ratioOf(kept, none, client, body)
      console.log(
        `CPU for a reply with the request log against without, ${title}: ${median.toFixed(3)} (${least.toFixed(3)} to ${most.toFixed(3)}; goal ≤ 1.03), ${pairs} pairs`,
      )
    }
  } finally {
    await Promise.all([client, kept, none].map((one) => one.stop()))
    rmSync(folder, { recursive: true, force: true })
  }
}

async function ratioOf(kept: Server, none: Server, client: Client, body: string): Promise<Figure> {
  await cpuUs(kept, client, body)
  await cpuUs(none, client, body)
  const ratios: number[] = []
  for (let pair = 0; pair < pairs; pair += 1) {
    const isKeptFirst = pair % 2 === 0
    const one = await cpuUs(isKeptFirst ? kept : none, client, body)
    const other = await cpuUs(isKeptFirst ? none : kept, client, body)
    ratios.push(isKeptFirst ? one / other : other / one)
  }
  return figureOf(ratios)
}

/** Microseconds of CPU for a reply. */
async function cpuUs(server: Server, client: Client, body: string): Promise<number> {
  const request = requestText(apiPath, server.key, body)
  const beforeMs = server.cpuMs()
  const { replies, failed, sample } = await client.ask({
    port: server.port,
    request,
    connections,
    durationMs: windowMs,
  })
  if (failed > 0) throw new Error(`${failed} of ${replies} replies failed, so the window is void: ${sample}`)
  return ((server.cpuMs() - beforeMs) * 1000) / replies
}
