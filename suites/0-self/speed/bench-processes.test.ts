import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { serverCore, startServer } from '../../../bench/server/process.ts'
import { packageFolder } from '../../../src/fixtures.ts'

const floor = { path: join(packageFolder, 'bench', 'server', 'processes', 'floor.ts') }

test('a server that somebody kills ends the run with a reason, and is stopped like any other', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'assay-bench-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const replies = join(folder, 'replies.json')
  writeFileSync(replies, JSON.stringify({ json: '{}', events: [] }))
  const [killed, stopped] = [
    await startServer(serverCore, floor, [replies]),
    await startServer(serverCore, floor, [replies]),
  ]
  process.kill(killed.pid, 'SIGKILL')
  await expect(killed.ended).rejects.toThrow('floor.ts ended with SIGKILL before it was stopped')
  await killed.stop()
  await stopped.stop()
})
