import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { Missing, startPostgres, startRedis } from './machine.ts'

/** `npm run test:servers [-- FILES]`: says what is missing and exits 2, or runs the tests. */
async function main(): Promise<number> {
  for (const start of [startPostgres, startRedis]) await (await start()).stop()
  const vitest = join(import.meta.dirname, '..', '..', 'node_modules', '.bin', 'vitest')
  const config = join(import.meta.dirname, 'vitest.config.ts')
  return spawnSync(vitest, ['run', '--config', config, ...process.argv.slice(2)], { stdio: 'inherit' }).status ?? 1
}

try {
  process.exitCode = await main()
} catch (error) {
  if (!(error instanceof Missing)) throw error
  process.stderr.write(`${error.message}\n`)
  process.exitCode = 2
}
