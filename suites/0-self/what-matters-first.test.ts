import { afterEach, describe, expect, test } from 'vitest'
import { type FaultId, faults } from '../../detection/faults/index.ts'
import { costOf } from '../../src/check/cost.ts'
import { judge, type RunningGateway, startReferenceGateway } from '../../src/index.ts'
import { checks } from '../index.ts'

const closing: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

async function gatewayWith(...names: readonly FaultId[]): Promise<{ 'base-url': string; 'api-key': string }> {
  const gateway: RunningGateway = await startReferenceGateway({
    demo: true,
    wraps: names.map((name) => faults[name].wrap()),
  })
  closing.push(() => gateway.close())
  return { 'base-url': new URL(gateway.baseUrl).origin, 'api-key': gateway.demo?.apiKey ?? '' }
}

describe('a run that ends early', () => {
  test('knows the shapes of replies, streams and the list, and says which option would do', async () => {
    const report = await judge({ ...(await gatewayWith('sse-no-done')), 'max-requests': 120 })
    const kindOf = (id: string) => report.results.find((result) => result.id === id)?.verdict.kind
    const shapes = ['models.pricing', 'completion.id', 'completion.finish-reason', 'chunk.delta', 'chunk.id-constant']
    expect(shapes.map(kindOf)).toEqual(shapes.map(() => 'pass'))
    expect(kindOf('stream.ends-with-done')).toBe('fail')
    expect(kindOf('temperature.wrong-type-refused')).toBe('untestable')
    expect(report.unasked).toMatchObject({
      reason: 'the budget has no room for everything',
      advice: expect.stringMatching(/^--max-requests \d+ would do$/),
    })
  })
})

describe('a quick run', () => {
  test('stays within its limits, and what it leaves out does not make it incomplete', async () => {
    const { gate, run, results } = await judge({ ...(await gatewayWith()), quick: true })
    expect(run).toMatchObject({ quick: true, runs: 2 })
    expect(run.requests).toBeLessThanOrEqual(400)
    // What the first checks leave is given to others.
    expect(run.requests).toBeGreaterThan(385)
    expect(run.tokens).toBeLessThanOrEqual(20_000)
    expect(gate.exitCode).toBe(0)
    const leftOut = results.filter(({ verdict }) => verdict.kind === 'untestable' && verdict.reason.includes('--quick'))
    expect(leftOut.length).toBeGreaterThan(0)
    // A plan rests on what the checks say that they use.
    const used = new Map(results.map((result) => [result.id, result.used?.requests ?? 0]))
    const beyond = checks.filter(
      (check) => (used.get(check.id) ?? 0) > costOf(check, { runs: 2, isQuick: true }).requests,
    )
    expect(beyond.map(({ id }) => id)).toEqual([])
  })
})

describe('--scope format', () => {
  const only = ['models.pricing', 'stream.ends-with-done', 'chat.answers']

  test('lets pass what only this contract demands, and names it', async () => {
    const target = await gatewayWith('models-completion-price-missing')
    expect((await judge({ ...target, only })).gate.exitCode).toBe(1)
    const report = await judge({ ...target, only, scope: 'format' })
    expect(report.gate).toMatchObject({ exitCode: 0, scope: 'format' })
    expect(report.roots.map(({ id, scope }) => [id, scope])).toEqual([['models.pricing', 'contract']])
  })

  test('fails a server that breaks the format', async () => {
    const report = await judge({ ...(await gatewayWith('sse-no-done')), only, scope: 'format' })
    expect(report.gate).toMatchObject({ exitCode: 1, reason: expect.stringContaining('what the format demands') })
    expect(report.roots.map(({ id, scope }) => [id, scope])).toEqual([['stream.ends-with-done', 'format']])
  })
})

describe('a gateway that is wrong in one way', () => {
  test('and repeats the text so far in each fragment is not said to miss a stop sequence', async () => {
    const only = ['stream.equals-reply', 'stop.across-chunks', 'chunk.nothing-after-finish']
    const report = await judge({ ...(await gatewayWith('text-grows-in-streams')), only })
    expect(report.roots.map(({ id }) => id)).toEqual(['stream.equals-reply'])
  })

  test('and streams where nobody asks for it gets every other check decided', async () => {
    const only = ['stream.absent-means-json', 'chat.answers', 'completion.content', 'reply.content-type']
    const report = await judge({ ...(await gatewayWith('stream-by-default')), only })
    expect(report.roots.map(({ id }) => id)).toEqual(['stream.absent-means-json'])
    expect(report.results.map(({ verdict }) => verdict.kind).toSorted()).toEqual(['fail', 'pass', 'pass', 'pass'])
  })
})
