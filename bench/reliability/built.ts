import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { packageFolder } from '../../src/fixtures.ts'

/**
 * Builds the command as the package ships it, in `.cache`, and returns where it is. A checkout runs its sources instead, and
 * what takes their types away takes tens of megabytes.
 */
export function builtAssay(): string {
  const folder = join(packageFolder, '.cache', 'built')
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const tsc = join(packageFolder, 'node_modules', '.bin', 'tsc')
  const out = join(folder, 'dist')
  const { status } = spawnSync(tsc, ['-p', join(packageFolder, 'tsconfig.build.json'), '--outDir', out], {
    stdio: 'inherit',
  })
  if (status !== 0) throw new Error('the package does not build: run npm run check')
  for (const name of ['bin', 'package.json']) cpSync(join(packageFolder, name), join(folder, name), { recursive: true })
  symlinkSync(join(packageFolder, 'fixtures'), join(folder, 'fixtures'))
  return join(folder, 'bin', 'assay.cjs')
}
