import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { packageFolder } from '../../src/fixtures.ts'

/** Compiles the processes of the bench as the package is, for what runs from sources also holds a compiler in memory. Returns their folder. */
export function buildProcesses(): string {
  const tsc = join(packageFolder, 'node_modules', 'typescript', 'bin', 'tsc')
  const config = join(packageFolder, 'bench', 'server', 'processes', 'tsconfig.json')
  execFileSync(process.execPath, [tsc, '-p', config], { stdio: ['ignore', 'inherit', 'inherit'] })
  const folder = join(packageFolder, '.cache', 'bench', 'bench', 'server', 'processes')
  if (!existsSync(join(folder, 'ours.js'))) throw new Error(`the compiler wrote no ${join(folder, 'ours.js')}`)
  return folder
}
