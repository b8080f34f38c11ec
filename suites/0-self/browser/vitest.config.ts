import { join } from 'node:path'
import { defineConfig } from 'vitest/config'

/** The tests that need a real browser. */
export default defineConfig({
  test: {
    root: join(import.meta.dirname, '..', '..', '..'),
    include: ['suites/0-self/browser/*.browser.ts'],
    pool: 'threads',
    testTimeout: 60_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
  },
})
