import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { measureAlone, startSubjects } from './alone.ts'
import { startClient } from './process.ts'

/**
 * `npm run bench`: what the reference gateway costs, beside a bare `node:http` server that answers with the same bytes and beside
 * peers. Each is a process with a core to itself; the figures are the operating system's.
 */
const folder = mkdtempSync(join(tmpdir(), 'assay-bench-'))
const client = startClient()
const subjects = await startSubjects(folder, client)
for (const { name, server } of subjects)
  console.log(`${name}: start ${server.startMs.toFixed(0)} ms, ${server.residentMb().toFixed(0)} MB`)
for (const { row, subject, events, cpuUs, ratio } of await measureAlone(subjects, client))
  console.log(
    `${row.name} ${subject}: ${cpuUs.median.toFixed(1)} µs (${cpuUs.least.toFixed(1)} to ${cpuUs.most.toFixed(1)}), ${events} events, ${ratio.median.toFixed(2)} × (${ratio.least.toFixed(2)} to ${ratio.most.toFixed(2)})`,
  )
for (const { name, server } of subjects) console.log(`${name}: ${server.residentMb().toFixed(0)} MB`)
await Promise.all(subjects.map(({ server }) => server.stop()))
await client.stop()
rmSync(folder, { recursive: true, force: true })
