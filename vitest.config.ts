import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'reference-server/**/*.test.ts', 'suites/0-self/*.test.ts', 'suites/bind.ts'],
    globalSetup: ['suites/0-self/embedded-gateway.ts'],
    pool: 'threads',
    // The checks of suites/bind.ts wait for one another: all of them have to be under way at once.
    maxConcurrency: 100_000,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Each worker on a two-core machine runs servers of its own; more workers only make them wait.
    maxWorkers: 2,
  },
})
