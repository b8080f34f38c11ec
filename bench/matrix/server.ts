import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdirSync, openSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** A server that somebody else wrote: how to install, start and judge any of its versions. */
export interface Server {
  /** Its name in commands and in `results/`. */
  readonly name: string
  /** Its name on the pages, without a version. */
  readonly title: string
  readonly kind: 'gateway' | 'engine' | 'mock'
  /** Where it comes from, such as `npm`. */
  readonly from: string
  /** The versions to judge, the newest first. */
  readonly versions: readonly string[]
  /** How many operator nodes we play behind it; none where it answers by itself. */
  readonly nodes: 0 | 2
  /** Options of `assay conformance` besides the address and the nodes. */
  options(nodes: readonly string[]): readonly string[]
  /** Installs a version into a folder of its own, unless it is there already. */
  install(folder: string, version: string): void
  start(folder: string, port: number, nodes: readonly string[]): ChildProcess
  /** The keys to judge it with, as variables of the environment; a server that has to be told of them is told here. */
  keys(baseUrl: string, nodes: readonly string[]): Promise<Readonly<Record<string, string>>>
}

/** What gateways are given: a key of their own, where they keep keys, and the one that our nodes want. */
export const callersKey = 'sk-interop-0123456789'
export const nodesKey = 'sk-node-9876543210'
export const gatewayKeys = async () => ({ ASSAY_API_KEY: callersKey, ASSAY_NODE_KEY: nodesKey })

/** Some gateways rest a node that failed, and the checks wait. */
export const patient = ['--max-time', '300', '--max-requests', '6000']

/** Installs exact versions from the npm registry. */
export function npm(folder: string, dependencies: object, overrides: object = {}): void {
  if (existsSync(join(folder, 'node_modules', '.package-lock.json'))) return
  mkdirSync(folder, { recursive: true })
  writeFileSync(
    join(folder, 'package.json'),
    JSON.stringify({ private: true, type: 'module', dependencies, overrides }),
  )
  execFileSync('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error'], { cwd: folder, stdio: 'inherit' })
}

/** Installs exact versions from PyPI into `venv`; `program` is there when all is. */
export function pip(folder: string, program: string, packages: readonly string[], env: object = {}): void {
  if (existsSync(join(folder, 'venv', 'bin', program))) return
  mkdirSync(folder, { recursive: true })
  const options = { cwd: folder, stdio: 'inherit', env: { ...process.env, ...env } } as const
  execFileSync('python3', ['-m', 'venv', 'venv'], options)
  execFileSync('venv/bin/pip', ['install', '--quiet', '--disable-pip-version-check', ...packages], options)
}

/** Starts it in a process group of its own; what it writes is in `server.log`. */
export function run(folder: string, command: string, args: readonly string[], env: object = {}): ChildProcess {
  const log = openSync(join(folder, 'server.log'), 'w')
  return spawn(command, args, {
    cwd: folder,
    detached: true,
    stdio: ['ignore', log, log],
    env: { ...process.env, ...env },
  })
}
