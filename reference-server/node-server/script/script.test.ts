import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { readTiming } from './read-timing.ts'
import { readScript } from './script.ts'
import { faultKinds, scriptSchema } from './script-schema.ts'
import { scriptStore } from './script-store.ts'

const fixtures = new URL('../../../fixtures/nodes/', import.meta.url)

describe('a script', () => {
  test.each(readdirSync(fixtures).filter((name) => name.endsWith('.json')))('%s is one', (name) => {
    const script: unknown = JSON.parse(readFileSync(new URL(name, fixtures), 'utf8'))
    expect(readScript(script)).toBe(script)
  })

  test('has the fields and the faults that the OpenAPI file shows', () => {
    const { Script } = parse(readFileSync(new URL('openapi.yaml', fixtures), 'utf8')).components.schemas
    expect(Object.keys(Script.properties).sort()).toEqual(Object.keys(scriptSchema.properties).sort())
    expect(Script.properties.fault.properties.kind.enum).toEqual([...faultKinds])
  })

  test.each([
    ['The script must be of type object.', null],
    ['fragment is not a known field.', { fragment: [] }],
    ['fragments[1] must be of type string.', { fragments: ['a', 1] }],
    ['text cannot stand beside fragments.', { fragments: [], text: '' }],
    ['status must be >= 200.', { status: 100 }],
    ['fault.kind is required.', { fault: {} }],
    [`fault.kind must be one of: ${faultKinds.join(', ')}.`, { fault: { kind: 'explode' } }],
    ['wire.cuts[0] must be >= 1.', { wire: { cuts: [0] } }],
    ['times is required beside next.', { next: {} }],
    ['next.extra.deltas is not a known field.', { times: 1, next: { extra: { deltas: {} } } }],
    ['next.timing.gap is required.', { times: 1, next: { timing: { firstToken: 1 } } }],
    [
      'timing.gap.percentiles must be pairs of a percent and a time, both ascending.',
      {
        timing: {
          firstToken: 0,
          gap: {
            percentiles: [
              [50, 3],
              [40, 4],
            ],
          },
        },
      },
    ],
  ])('is refused: %s', (message, script) => {
    expect(() => readScript(script)).toThrow(message)
  })

  test('with a header that HTTP cannot carry is refused', () => {
    expect(() => readScript({ headers: { 'x-a': 'b\r\nx-c: d' } })).toThrow(/^headers\.x-a /)
    expect(() => readScript({ headers: { 'x a': 'b' } })).toThrow(/^headers /)
  })
})

describe('a timing', () => {
  test('is a profile or a model', () => {
    expect(readTiming('medium')).toBe('medium')
    expect(() => readTiming('fast')).toThrow(/^The timing must match pattern/)
    expect(() => readTiming({ firstToken: { mean: 1 }, gap: 0 })).toThrow(/^firstToken /)
    expect(() => readTiming({ firstToken: {}, gap: 0 })).toThrow(/^firstToken /)
    const both = { percentiles: [[50, 1]], mean: 1, sd: 1 }
    expect(() => readTiming({ firstToken: 0, gap: both })).toThrow(/^gap /)
  })
})

describe('the scripts of a node', () => {
  const ask = (content: string) => [
    { role: 'user', content: 'assay-script-early' } as const,
    { role: 'user', content } as const,
    { role: 'assistant', content: 'assay-script-late' } as const,
  ]

  test('are found by the nonce anywhere in the last user message', () => {
    const store = scriptStore()
    const script = { text: 'Hello.' }
    store.put('a-1', script)
    store.put('early', {})
    expect(store.take(ask('Please "assay-script-a-1", now'))).toEqual({ id: 'a-1', script })
    expect(store.take(ask('assay-script-none and assay-script-a-1'))).toEqual({ id: 'a-1', script })
    expect(store.take(ask('assay-script-none'))).toEqual({ id: 'none' })
    expect(store.take(ask('no nonce'))).toEqual({})
  })

  test('are spent after their times, and then comes the next one', () => {
    const store = scriptStore()
    const last = { text: 'last', times: 1 }
    const first = { status: 500, times: 2, next: last }
    store.put('a', first)
    const scripts = Array.from({ length: 5 }, () => store.take(ask('assay-script-a')).script)
    expect(scripts).toEqual([first, first, last, undefined, undefined])
    store.put('a', first)
    expect(store.take(ask('assay-script-a')).script).toBe(first)
  })

  test('have ids of a nonce', () => {
    expect(() => scriptStore().put('A b', {})).toThrow(/^id /)
  })
})
