import { execFileSync } from 'node:child_process'
import { statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, onTestFinished, test } from 'vitest'
import { startGatewayProcess } from './gateway-process.ts'
import { newDatabase } from './new-database.ts'
import { expectSurvived } from './trouble.ts'

describe('a gateway on a SQLite file', () => {
  test('whose disk is full', async ({ task }) => {
    const file = newDatabase(onTestFinished)
    const gateway = await startGatewayProcess(['--store', `sqlite:${file}`])
    const fileSizeMax = (bytes: number | 'unlimited') =>
      execFileSync('prlimit', ['--pid', String(gateway.child.pid), `--fsize=${bytes}:unlimited`])
    await expectSurvived(
      gateway,
      {
        begin: () => void fileSizeMax(statSync(`${file}-wal`).size + 4096),
        end: () => void fileSizeMax('unlimited'),
      },
      { task },
    )
    await gateway.kill()
  })

  test('that another process has locked does not start, says so, and starts later', async () => {
    const file = newDatabase(onTestFinished)
    const other = new DatabaseSync(file)
    other.exec('CREATE TABLE other (id); BEGIN EXCLUSIVE')
    await expect(startGatewayProcess(['--store', `sqlite:${file}`])).rejects.toThrow(/Another gateway has it open/)
    other.exec('ROLLBACK')
    other.close()
    const gateway = await startGatewayProcess(['--store', `sqlite:${file}`])
    expect(await gateway.ready()).toBe(200)
    await gateway.kill()
  })

  test('that another process tries to lock serves on', async () => {
    const file = newDatabase(onTestFinished)
    const gateway = await startGatewayProcess(['--store', `sqlite:${file}`])
    const other = new DatabaseSync(file)
    expect(() => other.exec('BEGIN EXCLUSIVE')).toThrow(/locked/)
    other.close()
    const { id } = await gateway.control<{ id: string }>('POST', '/accounts', { name: 'a', creditUsd: '1' })
    const { key } = await gateway.control<{ key: string }>('POST', `/accounts/${id}/keys`, { name: 'k' })
    expect((await gateway.chat(key)).status).toBe(200)
    await gateway.kill()
  })
})
