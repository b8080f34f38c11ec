import { describe, expect, test } from 'vitest'
import { nodeHealth } from './health.ts'
import type { OperatorNode } from './node.ts'
import { NodeFailure } from './node-failure.ts'
import { prng } from './prng.ts'
import { nodeRegistry } from './registry.ts'

const gone = new NodeFailure('unreachable', 'gone')

/** One node of one model, whose probes succeed or fail. */
function registryOfOne() {
  let nowMs = 0
  let isReachable = true
  const health = nodeHealth({ nowMs: () => nowMs })
  const node: Partial<OperatorNode> = {
    id: 'a',
    serves: new Set(['small']),
    probe: () => (isReachable ? Promise.resolve() : Promise.reject(gone)),
  }
  return {
    registry: nodeRegistry([node as OperatorNode], health, prng(1)),
    fail: () => {
      isReachable = false
      health.note('a', gone)
    },
    recover: () => {
      isReachable = true
    },
    pass: (ms: number) => {
      nowMs += ms
    },
  }
}

describe('a model whose only node was lost', () => {
  test('is not served any more when the rest of its node is over, though the node may be asked again', async () => {
    const { registry, fail, pass } = registryOfOne()
    fail()
    expect([registry.serves('small'), registry.choose('small')]).toEqual([false, undefined])
    pass(60_000)
    await registry.probe()
    expect([registry.serves('small'), registry.choose('small')?.id]).toEqual([false, 'a'])
  })

  test('is served again once a probe succeeds', async () => {
    const { registry, fail, recover, pass } = registryOfOne()
    fail()
    pass(60_000)
    recover()
    await registry.probe()
    expect(registry.serves('small')).toBe(true)
  })
})
