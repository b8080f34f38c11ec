import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { basename, join } from 'node:path'
import { createInterface } from 'node:readline'
import { buildProcesses } from './built.ts'
import type { Order, Outcome } from './processes/client.ts'
import type { CrowdOrder, CrowdOutcome } from './processes/crowd-client.ts'

const canPin = existsSync('/usr/bin/taskset') && cpus().length > 1

/** Servers are measured on the first core; what asks them, and what stands behind them, has the second. */
export const serverCore = 0
export const otherCore = 1

/** A process of the bench that listens. What it costs is read from the operating system, all its threads together. */
export interface Server {
  readonly port: number
  /** What it printed besides its port. */
  readonly key: string
  readonly startMs: number
  readonly pid: number
  /** Rejects when the process ends without being stopped, and says how. */
  readonly ended: Promise<never>
  cpuMs(): number
  residentMb(): number
  stop(): Promise<void>
}

/** The modules in `processes` that are servers. */
type ServerProgram = 'aimock' | 'copying-proxy' | 'floor' | 'grown' | 'hammered' | 'logged' | 'ours' | 'portkey'

/** `program` is a module in `processes`, or where one is. */
export async function startServer(
  core: number,
  program: ServerProgram | { readonly path: string },
  args: readonly string[] = [],
): Promise<Server> {
  const startedMs = performance.now()
  const file = typeof program === 'string' ? fileOf(program) : program.path
  const child = pinned(core, [process.execPath, file, ...args], 'pipe')
  if (child.stdout === null) throw new Error('the process has no output')
  const ended = endOf(child, basename(file))
  const [line]: string[] = await Promise.race([once(createInterface(child.stdout), 'line'), ended])
  const [port, key = ''] = (line ?? '').split(' ')
  return {
    port: Number(port),
    key,
    pid: child.pid ?? Number.NaN,
    ended,
    startMs: performance.now() - startedMs,
    cpuMs: () => cpuMsOf(child.pid),
    residentMb: () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1]) / 1024,
    stop: () => stopped(child),
  }
}

/** A process that carries out orders, one after the other. */
export interface Worker<O, R> {
  ask(order: O): Promise<R>
  stop(): Promise<void>
}

export type Client = Worker<Order, Outcome>

export function startClient(): Client {
  return startWorker('client')
}

export function startCrowd(): Worker<CrowdOrder, CrowdOutcome> {
  return startWorker('crowd-client')
}

function startWorker<O extends object, R>(program: string): Worker<O, R> {
  const child = pinned(otherCore, [process.execPath, fileOf(program)], 'ipc')
  const end = endOf(child, program)
  return {
    async ask(order) {
      child.send(order)
      const [outcome]: unknown[] = await Promise.race([once(child, 'message'), end])
      return outcome as R
    },
    stop: () => stopped(child),
  }
}

let folder: string | undefined

function fileOf(program: string): string {
  folder ??= buildProcesses()
  return join(folder, `${program}.js`)
}

function pinned(core: number, command: readonly string[], channel: 'pipe' | 'ipc'): ChildProcess {
  const [name = '', ...rest] = canPin ? ['taskset', '-c', String(core), ...command] : command
  const out = channel === 'pipe' ? 'pipe' : 'ignore'
  const child = spawn(name, rest, {
    stdio: ['ignore', out, 'inherit', ...(channel === 'ipc' ? (['ipc'] as const) : [])],
  })
  process.once('exit', () => child.kill('SIGKILL'))
  return child
}

/** Nobody need wait for it: an end that was meant is no failure. */
function endOf(child: ChildProcess, what: string): Promise<never> {
  const end = once(child, 'exit').then(([code, signal]) => {
    throw new Error(`${what} ended with ${code ?? signal} before it was stopped; its last words are above`)
  })
  end.catch(() => undefined)
  return end
}

async function stopped(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const gone = once(child, 'exit')
  child.kill('SIGKILL')
  await gone
}

/** Nanoseconds on a core are the first number of each thread's `schedstat`. */
function cpuMsOf(pid: number | undefined): number {
  const folder = `/proc/${pid}/task`
  const spent = readdirSync(folder).map((thread) =>
    Number(readFileSync(`${folder}/${thread}/schedstat`, 'utf8').split(' ')[0]),
  )
  return spent.reduce((sum, one) => sum + one, 0) / 1e6
}
