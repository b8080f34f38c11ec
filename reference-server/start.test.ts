import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { addressOf, closed, listen } from './listening.ts'
import { startGateway } from './main.ts'

test('a gateway that cannot start keeps neither its port nor its books', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'assay-start-'))
  const store = `sqlite:${join(folder, 'books.sqlite')}`
  const [taken, own] = [createServer(), createServer()]
  await listen(taken, 0, '127.0.0.1')
  await listen(own, 0, '127.0.0.1')
  const [takenPort, port] = [taken, own].map((server) => Number(new URL(addressOf(server)).port))
  await closed(own)
  const start = startGateway({ port: port ?? 0, store, dashboard: {}, control: { port: takenPort ?? 0 } })
  await expect(start).rejects.toMatchObject({ code: 'EADDRINUSE' })
  const second = await startGateway({ port: port ?? 0, store })
  await second.close()
  await closed(taken)
  rmSync(folder, { recursive: true })
})
