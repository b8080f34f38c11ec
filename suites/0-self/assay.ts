import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { packageFolder } from '../../src/fixtures.ts'

export interface Finished {
  readonly exitCode: number | null
  readonly out: string
  readonly err: string
}

/** A command that runs. */
export interface Running {
  readonly child: ChildProcess
  readonly finished: Promise<Finished>
  /** What was written so far, once it holds the text; rejects if the command ends without it. */
  hasSaid(text: string): Promise<{ readonly out: string; readonly err: string }>
}

/** Runs the command as a user would, and waits until it ends. */
export function assay(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  folder: string = packageFolder,
): Promise<Finished> {
  return startAssay(args, env, folder).finished
}

export function startAssay(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  folder: string = packageFolder,
): Running {
  const { promise, resolve } = Promise.withResolvers<Finished>()
  const child = spawn(process.execPath, [join(packageFolder, 'bin', 'assay.cjs'), ...args], {
    cwd: folder,
    env: { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '', INIT_CWD: folder, ...env },
  })
  let out = ''
  let err = ''
  child.stdout.on('data', (bytes) => {
    out += bytes
  })
  child.stderr.on('data', (bytes) => {
    err += bytes
  })
  child.on('close', (exitCode) => resolve({ exitCode, out, err }))
  return {
    child,
    finished: promise,
    async hasSaid(text) {
      const said = Promise.withResolvers<void>()
      const look = (): void => {
        if (out.includes(text) || err.includes(text)) said.resolve()
      }
      child.stdout.on('data', look)
      child.stderr.on('data', look)
      void promise.then(() => said.reject(new Error(`it ended without "${text}":\n${out}${err}`)))
      look()
      await said.promise
      return { out, err }
    },
  }
}
