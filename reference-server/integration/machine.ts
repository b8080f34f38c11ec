import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

/** A server that was started for the tests, or one that was already there. */
export interface Server {
  readonly url: string
  stop(): void | Promise<void>
}

/** What is missing on this machine, and how to get it. */
export class Missing extends Error {
  override readonly name = 'Missing'
}

const serverAccount = 'postgres'

export const isRoot = userInfo().uid === 0

/** A server that we have started, to be troubled. */
export interface OwnServer extends Server {
  /** Stops all its processes where they are (SIGSTOP). */
  pause(): void
  resume(): void
  /** Ends it at once, as a crash does. */
  crash(): void | Promise<void>
  /** Starts it again on the same port, with what it had on disk. */
  start(): Promise<void>
}

/** `ASSAY_POSTGRES_URL`, or our own PostgreSQL on a free port, with an empty database in a temporary folder. */
export async function startPostgres(): Promise<Server> {
  const given = process.env['ASSAY_POSTGRES_URL']
  return given === undefined ? startOwnPostgres() : { url: given, stop() {} }
}

/** With settings as `name=value`. */
export async function startOwnPostgres(settings: readonly string[] = []): Promise<OwnServer> {
  const bin = postgresBin()
  if (bin === undefined)
    throw new Missing(
      'PostgreSQL is missing: install it (Debian: apt-get install postgresql), or set ASSAY_POSTGRES_URL.',
    )
  const folder = mkdtempSync(join(tmpdir(), 'assay-postgres-'))
  // PostgreSQL refuses to run as root. Nothing waits for it in place: the clients of a test would stand still meanwhile.
  const run = async (command: string, args: readonly string[]): Promise<void> => {
    const [program, rest] = isRoot ? ['runuser', ['-u', serverAccount, '--', command, ...args]] : [command, args]
    const [code] = await once(spawn(program, rest, { stdio: ['ignore', 'ignore', 'inherit'] }), 'exit')
    if (code !== 0) throw new Error(`${command} ${args.join(' ')} exited with ${code}`)
  }
  if (isRoot) giveToServer(folder)
  chmodSync(folder, 0o700)
  const data = join(folder, 'data')
  const port = await freePort()
  const options = [`-p ${port} -k ${folder}`, ...['listen_addresses=127.0.0.1', ...settings].map((one) => `-c ${one}`)]
  const control = (...args: readonly string[]): Promise<void> => run(join(bin, 'pg_ctl'), ['-D', data, '-s', ...args])
  const start = (): Promise<void> => control('-w', '-l', join(folder, 'log'), '-o', options.join(' '), 'start')
  const signalAll = (signal: NodeJS.Signals): void => {
    const [parent = ''] = readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')
    const children = spawnSync('pgrep', ['-P', parent]).stdout.toString().split('\n')
    for (const pid of [parent, ...children]) if (pid !== '') process.kill(Number(pid), signal)
  }
  await run(join(bin, 'initdb'), ['-D', data, '-A', 'trust', '-U', 'assay', '--no-sync'])
  await start()
  return {
    url: `postgres://assay@127.0.0.1:${port}/postgres`,
    start,
    crash: () => control('-m', 'immediate', 'stop'),
    pause: () => signalAll('SIGSTOP'),
    resume: () => signalAll('SIGCONT'),
    async stop() {
      await control('-m', 'immediate', 'stop')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Makes the account that PostgreSQL runs under the owner of a folder. Needs root. */
export function giveToServer(folder: string): void {
  execFileSync('chown', [serverAccount, folder])
}

/** `ASSAY_REDIS_URL`, or our own Redis on a free port, which writes nothing to disk. */
export async function startRedis(): Promise<Server> {
  const given = process.env['ASSAY_REDIS_URL']
  return given === undefined ? startOwnRedis() : { url: given, stop() {} }
}

export async function startOwnRedis(): Promise<OwnServer> {
  if (spawnSync('redis-server', ['--version']).status !== 0)
    throw new Missing('Redis is missing: install it (Debian: apt-get install redis-server), or set ASSAY_REDIS_URL.')
  const port = await freePort()
  let child: ChildProcess
  const start = async (): Promise<void> => {
    child = spawn('redis-server', ['--port', String(port), '--bind', '127.0.0.1', '--save', ''], { stdio: 'ignore' })
    while (
      spawnSync('redis-cli', ['-p', String(port), 'ping'])
        .stdout.toString()
        .trim() !== 'PONG'
    )
      await sleep(30)
  }
  await start()
  return {
    url: `redis://127.0.0.1:${port}`,
    start,
    crash: () => void child.kill('SIGKILL'),
    pause: () => void child.kill('SIGSTOP'),
    resume: () => void child.kill('SIGCONT'),
    stop: () => void child.kill('SIGKILL'),
  }
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
