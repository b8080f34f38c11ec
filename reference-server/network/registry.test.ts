import { describe, expect, test } from 'vitest'
import { type Health, nodeHealth } from './health.ts'
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

describe('a model with ten thousand nodes', () => {
  /** How often the registry asked for the health of a node, too. */
  function registryOfMany() {
    let looks = 0
    const health = nodeHealth({ nowMs: () => 0 })
    const counting: Health = {
      ...health,
      isRested(nodeId) {
        looks += 1
        return health.isRested(nodeId)
      },
    }
    const nodes = Array.from(
      { length: 10_000 },
      (_, at): Partial<OperatorNode> => ({
        id: `node-${at}`,
        serves: new Set([at === 0 ? 'other' : 'small']),
      }),
    )
    return { registry: nodeRegistry(nodes as OperatorNode[], counting, prng(1)), health, looks: () => looks }
  }

  test('looks at two of them for each request, and at any in the long run', () => {
    const { registry, looks } = registryOfMany()
    const chosen = new Set(Array.from({ length: 1000 }, () => registry.choose('small')?.id))
    expect(looks()).toBeLessThan(3000)
    expect(chosen.size).toBeGreaterThan(900)
    expect(chosen).not.toContain('node-0')
    expect(registry.choose('other')?.id).toBe('node-0')
  })

  test('is served by the one that is left', () => {
    const { registry, health } = registryOfMany()
    for (let at = 1; at < 5000; at += 1) registry.setState(`node-${at}`, 'down')
    for (let at = 5000; at < 10_000; at += 1) if (at !== 7777) health.note(`node-${at}`, gone)
    expect([registry.serves('small'), registry.choose('small')?.id]).toEqual([true, 'node-7777'])
    // A request that has failed there may also ask one that rests.
    expect(registry.choose('small', new Set(['node-7777']))?.id).toMatch(/^node-[5-9]/)
  })
})
