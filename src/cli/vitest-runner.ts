import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Reporter, TestCase, TestModule, Vitest } from 'vitest/node'
import type { SealedResult, SealedRun } from '../check/sealed.ts'
import { packageFolder } from '../fixtures.ts'
import type { Spending } from '../target/target.ts'

export interface VitestOutcome {
  /** In no fixed order. */
  readonly results: readonly SealedResult[]
  readonly spending: Pick<Spending, 'requests' | 'tokens'>
  /** What went wrong in the harness itself, outside any check. */
  readonly problems: readonly string[]
}

/** Runs the suites through vitest, in one worker: one test a check, each awaiting its verdict. */
export async function runInVitest(sealed: SealedRun, onResult: (result: SealedResult) => void): Promise<VitestOutcome> {
  const results: SealedResult[] = []
  const spending = { requests: 0, tokens: 0 }
  const problems: string[] = []
  let vitest: Vitest | undefined
  const cancel = (): void => {
    void vitest?.cancelCurrentRun('keyboard-input')
  }
  const reporter: Reporter = {
    onInit(instance) {
      vitest = instance
    },
    onTestCaseResult(test: TestCase) {
      const carried = test.meta().assay
      if (carried === undefined) {
        problems.push(`${test.name}: ${test.result().errors?.[0]?.message ?? 'ended without a verdict'}`)
        return
      }
      spending.requests = Math.max(spending.requests, carried.spending.requests)
      spending.tokens = Math.max(spending.tokens, carried.spending.tokens)
      results.push(carried.result)
      onResult(carried.result)
    },
    onTestRunEnd(modules: readonly TestModule[], unhandled) {
      problems.push(
        ...[...modules.flatMap((module) => module.errors()), ...unhandled].map(
          ({ stack, message }) => stack ?? message,
        ),
      )
    },
  }
  process.once('SIGINT', cancel)
  await withoutTraces(async () => {
    const { startVitest } = await import('vitest/node')
    const instance = await startVitest(
      'test',
      [],
      {
        root: packageFolder,
        config: false,
        watch: false,
        include: [import.meta.filename.endsWith('.ts') ? 'suites/bind.ts' : 'dist/suites/bind.js'],
        exclude: [],
        reporters: [reporter],
        provide: { assay: sealed },
        pool: 'threads',
        isolate: false,
        maxWorkers: 1,
        // Checks wait for one another: all of them have to be under way at once. The scheduler bounds the work.
        maxConcurrency: 100_000,
        testTimeout: 0,
        hookTimeout: 0,
        teardownTimeout: 2000,
        passWithNoTests: true,
        cache: false,
        fsModuleCache: false,
      },
      { envDir: false, logLevel: 'silent' },
    )
    await instance.close()
  })
  process.off('SIGINT', cancel)
  return { results, spending, problems }
}

/** vitest writes a token below XDG_DATA_HOME and leaves variables behind; neither is for the user to find. */
async function withoutTraces(work: () => Promise<void>): Promise<void> {
  const names = ['XDG_DATA_HOME', 'VITEST', 'TEST', 'NODE_ENV'] as const
  const before = names.map((name) => [name, process.env[name]] as const)
  const folder = mkdtempSync(join(tmpdir(), 'assay-'))
  process.env['XDG_DATA_HOME'] = folder
  try {
    await work()
  } finally {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name]
      else process.env[name] = value
    }
    rmSync(folder, { recursive: true, force: true })
  }
}
