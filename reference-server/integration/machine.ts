import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

/** A server that was started for the tests, or one that was already there. */
export interface Server {
  readonly url: string
  stop(): void
}

/** What is missing on this machine, and how to get it. */
export class Missing extends Error {
  override readonly name = 'Missing'
}

const serverAccount = 'postgres'

/** `ASSAY_POSTGRES_URL`, or our own PostgreSQL on a free port, with an empty database in a temporary folder. */
export async function startPostgres(): Promise<Server> {
  const given = process.env['ASSAY_POSTGRES_URL']
  if (given !== undefined) return { url: given, stop() {} }
  const bin = postgresBin()
  if (bin === undefined)
    throw new Missing(
      'PostgreSQL is missing: install it (Debian: apt-get install postgresql), or set ASSAY_POSTGRES_URL.',
    )
  const folder = mkdtempSync(join(tmpdir(), 'assay-postgres-'))
  const isRoot = userInfo().uid === 0
  // PostgreSQL refuses to run as root.
  const run = (command: string, args: readonly string[]): void => {
    const [program, rest] = isRoot ? ['runuser', ['-u', serverAccount, '--', command, ...args]] : [command, args]
    execFileSync(program, rest, { stdio: ['ignore', 'ignore', 'inherit'] })
  }
  if (isRoot) execFileSync('chown', [serverAccount, folder])
  chmodSync(folder, 0o700)
  const data = join(folder, 'data')
  const port = await freePort()
  run(join(bin, 'initdb'), ['-D', data, '-A', 'trust', '-U', 'assay', '--no-sync'])
  run(join(bin, 'pg_ctl'), [
    ...['-D', data, '-w', '-s', '-l', join(folder, 'log')],
    ...['-o', `-p ${port} -k ${folder} -c listen_addresses=127.0.0.1`, 'start'],
  ])
  return {
    url: `postgres://assay@127.0.0.1:${port}/postgres`,
    stop() {
      run(join(bin, 'pg_ctl'), ['-D', data, '-m', 'immediate', '-s', 'stop'])
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** `ASSAY_REDIS_URL`, or our own Redis on a free port, which writes nothing to disk. */
export async function startRedis(): Promise<Server> {
  const given = process.env['ASSAY_REDIS_URL']
  if (given !== undefined) return { url: given, stop() {} }
  if (spawnSync('redis-server', ['--version']).status !== 0)
    throw new Missing('Redis is missing: install it (Debian: apt-get install redis-server), or set ASSAY_REDIS_URL.')
  const port = await freePort()
  const child = spawn('redis-server', ['--port', String(port), '--bind', '127.0.0.1', '--save', ''], {
    stdio: 'ignore',
  })
  while (
    spawnSync('redis-cli', ['-p', String(port), 'ping'])
      .stdout.toString()
      .trim() !== 'PONG'
  )
    await sleep(30)
  return { url: `redis://127.0.0.1:${port}`, stop: () => void child.kill('SIGKILL') }
}

function postgresBin(): string | undefined {
  const debian = '/usr/lib/postgresql'
  const versions = existsSync(debian) ? readdirSync(debian).sort((a, b) => Number(b) - Number(a)) : []
  const folders = [
    ...versions.map((version) => join(debian, version, 'bin')),
    ...(process.env['PATH'] ?? '').split(':'),
  ]
  return folders.find((folder) => existsSync(join(folder, 'initdb')) && existsSync(join(folder, 'pg_ctl')))
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const address = server.address()
  await new Promise((closed) => server.close(closed))
  if (address === null || typeof address === 'string') throw new Error('the server has no port')
  return address.port
}
