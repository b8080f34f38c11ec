import type { TestProject } from 'vitest/node'
import type { Orders } from '../../src/run/execute.ts'
import type { GateRules } from '../../src/run/gate.ts'
import { openKnownFailures } from '../../src/run/known-failures-file.ts'
import { readSettings } from '../../src/run/settings.ts'
import { bringUp } from '../../src/run/subject.ts'
import { checks } from '../index.ts'

declare module 'vitest' {
  interface ProvidedContext {
    assay: { readonly orders: Orders; readonly rules: GateRules; readonly isEmbedded: boolean }
  }
}

/**
 * Reads the options of `assay conformance` from `ASSAY_…` variables and starts the target once, for `suites/bind.ts`.
 * Without `ASSAY_BASE_URL` the target is the embedded reference gateway.
 */
export default async function provideOrders(project: TestProject): Promise<() => Promise<void>> {
  const { plan } = readSettings([], process.env, process.cwd())
  const subject = await bringUp(plan)
  const { selected, randomness, keepAll } = plan
  project.provide('assay', {
    orders: { config: subject.config, selected, randomness, keepAll },
    isEmbedded: plan.baseUrl === undefined,
    rules: { ...plan.gate, known: openKnownFailures(plan.knownFailures, checks) },
  })
  return subject.close
}
