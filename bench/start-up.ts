import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { packageFolder } from '../src/fixtures.ts'

/** `npm run bench:start-up`: milliseconds from the start of the command to its first request, the median of nine starts. */
const starts = 9

async function firstRequestMs(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const startMs = performance.now()
  const command = [join(packageFolder, 'bin', 'assay.cjs'), 'conformance', '--base-url', `http://127.0.0.1:${port}`]
  const child = spawn(process.execPath, command, { stdio: 'ignore' })
  await once(server, 'request')
  const tookMs = performance.now() - startMs
  child.kill()
  server.closeAllConnections()
  server.close()
  return tookMs
}

const measured: number[] = []
for (let start = 0; start < starts; start += 1) measured.push(await firstRequestMs())
measured.sort((one, other) => one - other)
process.stdout.write(
  `first request after ${Math.round(measured[Math.floor(starts / 2)] ?? 0)} ms (${Math.round(measured[0] ?? 0)} to ${Math.round(measured.at(-1) ?? 0)})\n`,
)
