import type { TargetConfig } from '../target/config.ts'
import { type Prepared, prepare } from '../target/prepare.ts'
import { createTarget, type Spending } from '../target/target.ts'
import { createRedactor, type Redactor } from '../wire/redact.ts'
import type { Check } from './check.ts'
import type { Randomness } from './property.ts'
import { type CheckResult, createRun } from './run.ts'

export interface JudgeOptions {
  readonly config: TargetConfig
  /** Every check there is: selected ones may depend on others. */
  readonly checks: readonly Check[]
  readonly selected: readonly Check[]
  readonly randomness: Randomness
  /** Called as each check is done, in no fixed order. */
  readonly onResult?: (result: CheckResult) => void
}

export interface Judgement {
  readonly prepared: Prepared
  /** In the order of the selected checks. */
  readonly results: readonly CheckResult[]
  readonly spending: Spending
  readonly redactor: Redactor
  readonly durationMs: number
}

/** Holds a target against checks, in this process and without a test runner. Throws `HarnessError` where nothing can be judged. */
export async function judge({ config, checks, selected, randomness, onResult }: JudgeOptions): Promise<Judgement> {
  const start = performance.now()
  const redactor = createRedactor(secretsOf(config))
  const target = createTarget(config)
  try {
    const prepared = await prepare(target)
    target.patience.adapt(prepared)
    const run = createRun(checks, selected, { target, prepared, redactor, randomness })
    const results = await Promise.all(
      selected.map(async ({ id }) => {
        const result = await run.resultOf(id)
        onResult?.(result)
        return result
      }),
    )
    return { prepared, results, spending: target.spending, redactor, durationMs: performance.now() - start }
  } finally {
    await target.close()
  }
}

/** Whatever a run was given that must never be written anywhere: the keys, and the values of headers. */
export function secretsOf({ keys, headers, control }: TargetConfig): readonly string[] {
  const token = control !== undefined && 'token' in control ? control.token : undefined
  return [...Object.values(keys), token, ...headers.map(([, value]) => value)].filter((secret) => secret !== undefined)
}
