import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { packageFolder } from '../../src/fixtures.ts'

export interface Finished {
  readonly exitCode: number | null
  readonly out: string
  readonly err: string
}

/** Runs the command as a user would, and waits until it ends. */
export function assay(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  folder: string = packageFolder,
): Promise<Finished> {
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
  return promise
}
