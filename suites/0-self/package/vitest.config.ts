import { join } from 'node:path'
import { defineConfig } from 'vitest/config'

/** The tests of the package as its users get it: packed, and installed in empty folders. */
export default defineConfig({
  test: {
    root: join(import.meta.dirname, '..', '..', '..'),
    include: ['suites/0-self/package/*.package.ts'],
    pool: 'threads',
    testTimeout: 240_000,
    hookTimeout: 240_000,
    fileParallelism: false,
  },
})
