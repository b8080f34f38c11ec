import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { systemClock } from '../clock.ts'
import { amount } from '../ledger/money.ts'
import { postgresStore } from '../store/postgres/postgres-store.ts'
import { StoreUnavailable } from '../store/store.ts'
import { charge, sum } from '../store/store-model.ts'
import { type GatewayProcess, startGatewayProcess } from './gateway-process.ts'
import { giveToServer, isRoot, type OwnServer, startOwnPostgres } from './machine.ts'
import { expectSurvived } from './trouble.ts'

const connectionsMax = 24

let postgres: OwnServer
let gateway: GatewayProcess
beforeAll(async () => {
  postgres = await startOwnPostgres([`max_connections=${connectionsMax}`])
  gateway = await startGatewayProcess(['--store', postgres.url])
}, 60_000)
afterAll(async () => {
  await gateway.kill()
  await postgres.stop()
})

async function connect(): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: postgres.url })
  client.on('error', () => {})
  await client.connect()
  return client
}

async function run(...statements: readonly string[]): Promise<void> {
  const client = await connect()
  for (const statement of statements) await client.query(statement)
  await client.end()
}

/** Takes every connection that the server allows, again and again, so that whoever loses one gets none. */
function hogConnections() {
  const hogs: pg.Client[] = []
  return {
    async begin() {
      hogs.push(await connect())
      for (let round = 0; round < 5; round += 1) {
        await hogs[0]?.query(
          `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name <> 'hog' AND backend_type = 'client backend' AND pid <> pg_backend_pid()`,
        )
        for (let count = hogs.length; count < connectionsMax; count += 1) {
          const hog = await connect().catch(() => undefined)
          await hog?.query(`SET application_name = 'hog'`)
          if (hog !== undefined) hogs.push(hog)
        }
      }
    },
    async end() {
      await Promise.all(hogs.map((hog) => hog.end()))
    },
  }
}

/** Puts the ledger on a file system of two megabytes, and fills it. */
function fullDisk() {
  const folder = mkdtempSync(join(tmpdir(), 'assay-full-'))
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=2m', 'none', folder])
  giveToServer(folder)
  const filler = join(folder, 'filler')
  return {
    async begin() {
      await run(`CREATE TABLESPACE small LOCATION '${folder}'`, 'ALTER TABLE entries SET TABLESPACE small')
      try {
        for (let part = 0; ; part += 1) writeFileSync(`${filler}${part}`, Buffer.alloc(1024))
      } catch {
        // It is full.
      }
    },
    async end() {
      execFileSync('sh', ['-c', `rm ${filler}*`])
      await run('ALTER TABLE entries SET TABLESPACE pg_default', 'DROP TABLESPACE small')
      execFileSync('umount', [folder])
      rmSync(folder, { recursive: true })
    },
  }
}

describe('a gateway on a PostgreSQL', () => {
  test('that is paused', ({ task }) =>
    expectSurvived(gateway, { begin: () => postgres.pause(), end: () => postgres.resume() }, { task }))

  test('that crashes and starts again', ({ task }) =>
    expectSurvived(gateway, { begin: () => postgres.crash(), end: () => postgres.start() }, { task }))

  test('that is read-only', ({ task }) =>
    expectSurvived(
      gateway,
      {
        begin: () => run('ALTER SYSTEM SET default_transaction_read_only = on', 'SELECT pg_reload_conf()'),
        end: () => run('SET default_transaction_read_only = off', 'ALTER SYSTEM RESET ALL', 'SELECT pg_reload_conf()'),
      },
      { task },
    ))

  test('that is out of connections', ({ task }) => expectSurvived(gateway, hogConnections(), { task }))

  test.skipIf(!isRoot)('whose disk is full', ({ task }) => expectSurvived(gateway, fullDisk(), { task }))

  test('whose clock was set back an hour, after another replica died', async () => {
    const { id } = await gateway.control<{ id: string }>('POST', '/accounts', { name: 'clock', creditUsd: '1' })
    const { id: keyId } = await gateway.control<{ id: string }>('POST', `/accounts/${id}/keys`, { name: 'clock' })
    await run(
      `INSERT INTO replicas (id, lease_until, seen_change) VALUES ('dead', now() + interval '1 hour', 0)`,
      `INSERT INTO holds (request_id, account_id, amount, replica_id) VALUES ('of the dead', '${id}', 5, 'dead')`,
      `UPDATE accounts SET held = 5 WHERE id = '${id}'`,
    )
    await gateway.control('DELETE', `/keys/${keyId}`)
    const held = async () => (await gateway.control<{ held: string }>('GET', `/accounts/${id}`)).held
    await expect.poll(held, { timeout: 5000 }).toBe('0')
  })

  test('whose answers to its commits are lost: a charge stands, or is undone where the reply never went out', async () => {
    const store = await postgresStore(postgres.url, systemClock)
    // One account each, or they would wait for each other.
    const open = async () => (await store.openAccount('owner', sum(10))).id
    const ids = await Promise.all([open(), open(), open()])
    const [streamed, refused, late] = ids
    const hold = (id: string) => store.hold(`req_${id}`, id, amount(3))
    const [stream, whole] = await Promise.all([hold(streamed), hold(refused)])
    if (stream === undefined || whole === undefined) throw new Error('the accounts can pay')
    // A commit waits for a standby that does not exist: it is neither visible nor undone.
    await run(`ALTER SYSTEM SET synchronous_standby_names = 'nobody'`, 'SELECT pg_reload_conf()')
    const asked = [store.charge(stream, charge(2, 'streamed')), store.charge(whole, charge(2, 'refused')), hold(late)]
    const outcomes = await Promise.allSettled(asked)
    const releasing = store.release(whole).catch(() => undefined)
    await run('ALTER SYSTEM RESET ALL', 'SELECT pg_reload_conf()')
    await releasing

    expect(outcomes).toEqual(asked.map(() => ({ status: 'rejected', reason: expect.any(StoreUnavailable) })))
    await expect.poll(() => store.trouble(), { timeout: 5000 }).toBeUndefined()
    const accounts = await Promise.all(ids.map((id) => store.account(id)))
    expect(accounts.map((account) => [account?.balance, account?.held])).toEqual([
      [8n, 0n],
      [10n, 0n],
      [10n, 0n],
    ])
    const lines = (await store.entries(refused, 0, 10)).map(({ kind, amount: moved }) => [kind, moved])
    expect(lines).toEqual([
      ['credit', 10n],
      ['charge', -2n],
      ['credit', 2n],
    ])
    expect((await store.usageByDay(refused)).map(({ requests, usd }) => [requests, usd])).toEqual([[0, 0n]])
    await store.close()
  })
})
