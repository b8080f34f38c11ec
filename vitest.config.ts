import { defineConfig } from 'vitest/config'

const shared = { pool: 'threads', testTimeout: 60_000, hookTimeout: 60_000 } as const

export default defineConfig({
  test: {
    // Each worker runs servers of its own, and mostly waits for them: beyond two a core they wait for one another.
    maxWorkers: 4,
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
