import { join } from 'node:path'
import { defineConfig } from 'vitest/config'

/** The tests that need a real PostgreSQL and a real Redis. */
export default defineConfig({
  test: {
    root: join(import.meta.dirname, '..', '..'),
    include: ['reference-server/integration/*.servers.ts', 'bench/reliability/**/*.servers.ts'],
    pool: 'threads',
    testTimeout: 60_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
  },
})
