import { mkdtempSync, rmSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { measureAlone, startSubjects } from './alone.ts'
import { measureCrowds } from './crowd.ts'
import { measureForwarding } from './forwarding.ts'
import { writePage } from './page.ts'
import { startClient } from './process.ts'

/**
 * `npm run bench`: what the reference gateway costs, beside a bare `node:http` server that answers with the same bytes and beside
 * peers. Each is a process with a core to itself; the figures are the operating system's. Writes docs/speed.md.
 */
const folder = mkdtempSync(join(tmpdir(), 'assay-bench-'))
const replies = join(folder, 'replies.json')
const client = startClient()
const subjects = await startSubjects(folder, replies, client)
const idle = subjects.map(({ name, server }) => ({ name, startMs: server.startMs, idleMb: server.residentMb() }))
const spent = await measureAlone(subjects, client)
const footprints = idle.map((one, index) => ({ ...one, afterMb: subjects[index]?.server.residentMb() ?? Number.NaN }))
await Promise.all(subjects.map(({ server }) => server.stop()))
const forwarded = await measureForwarding(replies, client)
await client.stop()
const crowds = await measureCrowds()
rmSync(folder, { recursive: true, force: true })
writePage({ subjects, spent, forwarded, crowds, footprints })
process.stdout.write(`docs/speed.md is written anew; load average ${loadavg()[0]?.toFixed(1)}\n`)
