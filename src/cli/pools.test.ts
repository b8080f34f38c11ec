import { describe, expect, test } from 'vitest'
import type { Fault } from '../../reference-server/faults/fault.ts'
import type { Wrap } from '../../reference-server/gateway/seams.ts'
import type { Check } from '../check/check.ts'
import type { Examined, Subject } from './detect.ts'
import { type Pool, poolFaults, splitPool } from './pools.ts'

const check = (id: string, ...dependsOn: string[]): Check => ({ id, dependsOn }) as Partial<Check> as Check
const checks = [check('chat.answers'), check('chunk.id', 'stream.answers'), check('stream.answers'), check('key.shown')]

const faultOf = (breaks: readonly string[], seam: keyof Wrap, follows: readonly string[] = []): Fault => ({
  about: '',
  breaks,
  follows,
  wrap: () => ({ [seam]: (real: unknown) => real }),
})

const subjectOf = (name: string, withNodes = false): Subject => ({
  kind: 'fault',
  name,
  entries: [name],
  setting: { withNodes },
})

function poolsOf(
  faults: Readonly<Record<string, Fault>>,
  subjects = Object.keys(faults).map((name) => subjectOf(name)),
) {
  return poolFaults(subjects, faults, checks).map(({ gateway }) => gateway.entries)
}

describe('faults share a gateway', () => {
  test('that leave each other alone', () => {
    const pools = poolsOf({ a: faultOf(['chunk.id'], 'chunk'), b: faultOf(['key.shown'], 'createKey') })
    expect(pools).toEqual([['a', 'b']])
  })

  test.each<[string, Fault]>([
    ['that wrap one seam', faultOf(['key.shown'], 'chunk')],
    ['that trip one check', faultOf(['chunk.id'], 'frame')],
    ['one of which trips what a check of the other depends on', faultOf(['stream.answers'], 'frame')],
    ['one of which may trip it', faultOf(['key.shown'], 'frame', ['stream.answers'])],
    ['one of which leaves no model', faultOf(['models.names-a-model'], 'listModels')],
  ])('but none %s', (_, other) => {
    expect(poolsOf({ a: faultOf(['chunk.id'], 'chunk'), other })).toEqual([['a'], ['other']])
    expect(poolsOf({ other, a: faultOf(['chunk.id'], 'chunk') })).toEqual([['other'], ['a']])
  })

  test('but none that need another setting, and no legal gateway', () => {
    const faults = { a: faultOf(['chunk.id'], 'chunk'), b: faultOf(['key.shown'], 'createKey') }
    expect(poolsOf(faults, [subjectOf('a'), subjectOf('b', true)])).toEqual([['a'], ['b']])
    const legal: Subject = { kind: 'variant', name: 'odd', entries: ['odd'], setting: {} }
    expect(poolsOf(faults, [subjectOf('a'), legal, subjectOf('b')])).toEqual([['a', 'b'], ['odd']])
  })
})

describe('a gateway with several faults', () => {
  const faults = { a: faultOf(['chunk.id'], 'chunk'), b: faultOf(['key.shown'], 'createKey', ['chat.answers']) }
  const members = [subjectOf('a'), subjectOf('b')]
  const pool: Pool = { gateway: { ...subjectOf('a + b'), entries: ['a', 'b'] }, members }

  function split(failed: readonly string[], problem?: string) {
    const results = checks.map(({ id }) => ({
      id,
      exchanges: [],
      verdict: failed.includes(id)
        ? ({ kind: 'fail', what: '', expected: '', actual: '' } as const)
        : ({ kind: 'pass', proofs: 1 } as const),
    }))
    const examined: Examined = { subject: pool.gateway, results, ...(problem !== undefined && { problem }) }
    const { told, apart } = splitPool(examined, pool, faults)
    return {
      told: told.map((one) => [
        one.subject.name,
        one.results.flatMap(({ id, verdict }) => (verdict.kind === 'fail' ? [id] : [])),
      ]),
      apart: apart.map(({ name }) => name),
    }
  }

  test('says of each what its own checks say', () => {
    expect(split(['chunk.id', 'key.shown'])).toEqual({
      told: [
        ['a', ['chunk.id']],
        ['b', ['key.shown']],
      ],
      apart: [],
    })
    expect(split(['chunk.id', 'key.shown', 'chat.answers'])).toEqual({
      told: [
        ['a', ['chunk.id']],
        ['b', ['chat.answers', 'key.shown']],
      ],
      apart: [],
    })
  })

  test('says nothing of one whose check did not fail', () => {
    expect(split(['chunk.id'])).toEqual({ told: [['a', ['chunk.id']]], apart: ['b'] })
  })

  test('says nothing of any where another check failed, and where it could not be judged', () => {
    expect(split(['chunk.id', 'key.shown', 'stream.answers'])).toEqual({ told: [], apart: ['a', 'b'] })
    expect(split(['chunk.id', 'key.shown'], 'it crashed')).toEqual({ told: [], apart: ['a', 'b'] })
  })
})
