import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { chromiumPath, Missing } from './machine.ts'

/** `npm run test:browser`: says what is missing and exits 2, or runs the tests. */
try {
  chromiumPath()
  const vitest = join(import.meta.dirname, '..', '..', '..', 'node_modules', '.bin', 'vitest')
  const config = join(import.meta.dirname, 'vitest.config.ts')
  process.exitCode = spawnSync(vitest, ['run', '--config', config], { stdio: 'inherit' }).status ?? 1
} catch (error) {
  if (!(error instanceof Missing)) throw error
  process.stderr.write(`${error.message}\n`)
  process.exitCode = 2
}
