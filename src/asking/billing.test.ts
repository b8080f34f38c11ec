import { expect, test } from 'vitest'
import type { CheckContext } from '../check/context.ts'
import type { TargetConfig } from '../target/config.ts'
import type { Control } from '../target/control/control.ts'
import type { Target } from '../target/target.ts'
import { usageOf } from './billing.ts'

/** A key whose usage grows by one with every question, up to a number. */
function contextOf(requestsMax: number): { readonly context: CheckContext; readonly asked: () => number } {
  let asked = 0
  const keyUsage = async () => ({
    requests: Math.min(asked++, requestsMax),
    promptTokens: 0,
    completionTokens: 0,
    costUsd: '0',
  })
  const control = { keyUsage } as Partial<Control> as Control
  const config = { settlingMs: 60 } as Partial<TargetConfig> as TargetConfig
  const target = { config } as Partial<Target> as Target
  return { context: { control, target } as Partial<CheckContext> as CheckContext, asked: () => asked }
}

test('waits for usage as long as it grows', async () => {
  expect((await usageOf(contextOf(20).context, 'k', 20)).requests).toBe(20)
})

test('stops waiting for usage that no longer grows', async () => {
  const { context, asked } = contextOf(3)
  expect((await usageOf(context, 'k', 20)).requests).toBe(3)
  expect(asked()).toBeLessThan(10)
})
