import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdirSync, openSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** A server that somebody else wrote, to install, start and judge. */
export interface Candidate {
  readonly name: string
  /** Its name on the pages, with the exact version. */
  readonly title: string
  /** How many operator nodes we play behind it; none where it answers by itself. */
  readonly nodes: 0 | 2
  /** Options of `assay conformance` besides the address and the nodes. */
  options(nodes: readonly string[]): readonly string[]
  /** Installs it into its own folder, unless it is installed already. */
  install(folder: string): void
  start(folder: string, port: number, nodes: readonly string[]): ChildProcess
  /** The keys to judge it with, as variables of the environment; a server that has to be told of them is told here. */
  keys(baseUrl: string, nodes: readonly string[]): Promise<Readonly<Record<string, string>>>
}

/** Installs exact versions from the npm registry. */
export function npm(folder: string, dependencies: object, overrides: object = {}): void {
  if (existsSync(join(folder, 'node_modules'))) return
  mkdirSync(folder, { recursive: true })
  writeFileSync(
    join(folder, 'package.json'),
    JSON.stringify({ private: true, type: 'module', dependencies, overrides }),
  )
  execFileSync('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error'], { cwd: folder, stdio: 'inherit' })
}

/** Starts it; what it writes is in `server.log`. */
export function run(folder: string, command: string, args: readonly string[], env: object = {}): ChildProcess {
  const log = openSync(join(folder, 'server.log'), 'w')
  return spawn(command, args, { cwd: folder, stdio: ['ignore', log, log], env: { ...process.env, ...env } })
}
