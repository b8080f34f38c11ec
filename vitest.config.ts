import { defineConfig } from 'vitest/config'

const shared = { pool: 'threads', testTimeout: 60_000, hookTimeout: 60_000 } as const

export default defineConfig({
  test: {
    // Each worker on a two-core machine runs servers of its own; more workers only make them wait.
    maxWorkers: 3,
    projects: [
      {
        test: {
          ...shared,
          name: 'unit',
          // No test changes what others see: the code is loaded once a worker, not once a file.
          isolate: false,
          include: ['{src,reference-server,detection,bench}/**/*.test.ts', 'suites/0-self/**/*.test.ts'],
        },
      },
      {
        test: {
          ...shared,
          name: 'suites',
          include: ['suites/bind.ts'],
          globalSetup: ['suites/0-self/provide-orders.ts'],
          // The checks wait for one another: all of them have to be under way at once.
          maxConcurrency: 100_000,
        },
      },
    ],
  },
})
