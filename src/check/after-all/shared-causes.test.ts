import { expect, test } from 'vitest'
import type { Exchange } from '../../wire/transcript.ts'
import { must, should } from '../check.ts'
import type { StatusClass } from '../expect.ts'
import type { CheckResult } from '../scheduler.ts'
import { fields, idOf } from '../test-tools.ts'
import { blockedByTheirRoots } from './shared-causes.ts'

function answered(status: number, body: unknown, written = JSON.stringify(body)): Exchange {
  const bytes = Buffer.from(written)
  return {
    id: 1,
    request: { method: 'POST', url: 'http://gateway/', headers: [], body: '' },
    sentAt: 0,
    head: { status, headers: [['content-type', 'application/json']], atMs: 1 },
    arrivals: [{ bytes, atMs: 1 }],
    ending: 'complete',
    endedAtMs: 2,
  } as Exchange
}

type Due = readonly StatusClass[]

const crash = { error: { message: 'boom', type: 'internal', code: null } }

function failed(id: string, shownBy: Exchange | undefined, due: Due = ['4xx'], level = should): CheckResult {
  const check = { ...level(idOf(id), { ...fields, run: async () => {} }), clause: '2.1', since: '0.1.0' }
  const verdict = { kind: 'fail', what: 'status', expected: 'another', actual: '500' } as const
  return {
    check,
    verdict,
    exchanges: [],
    durationMs: 1,
    used: { requests: 0, tokens: 0 },
    due,
    ...(shownBy !== undefined && { shownBy }),
  }
}

const verdictsOf = (results: readonly CheckResult[]) =>
  blockedByTheirRoots(results).map(({ verdict }) => (verdict.kind === 'blocked' ? verdict.by : verdict.kind))

test('one handler that answers every mistake with 500 is one failure, a must before a should', () => {
  const results = [
    failed('a.first', answered(500, crash)),
    failed('a.second', answered(500, { error: { ...crash.error, message: 'another' } })),
    failed('a.must', answered(500, crash), ['4xx'], must),
  ]
  expect(verdictsOf(results)).toEqual(['a.must', 'a.must', 'fail'])
  const [first] = blockedByTheirRoots(results)
  expect(first?.verdict).toEqual({
    kind: 'blocked',
    by: 'a.must',
    saw: { what: 'status', expected: 'another', actual: '500' },
  })
})

test('an error that is a sentence tells of its request, and one that is a word of its kind', () => {
  const verdictsAt = (...errors: string[]) =>
    verdictsOf(errors.map((error, at) => failed(['a.first', 'a.second'][at] ?? '', answered(500, { error }))))
  expect(verdictsAt('node said 400: stop must be text', 'node said 400: no messages')).toEqual(['fail', 'a.first'])
  expect(verdictsAt('bad_stop', 'bad_messages')).toEqual(['fail', 'fail'])
})

test('valid requests about one thing that break the server in one way are one failure', () => {
  const results = ['a.quotes', 'a.unicode'].map((id) => failed(id, answered(500, { error: 'SyntaxError' }), ['2xx']))
  expect(verdictsOf(results)).toEqual(['fail', 'a.quotes'])
})

test('a server that fails at a plain request in both modes has one failure, if it fails in one way', () => {
  const inBoth = (body: unknown) => [
    failed('chat.answers', answered(500, crash), ['2xx'], must),
    failed('stream.answers', answered(500, body), ['2xx'], must),
  ]
  expect(verdictsOf(inBoth(crash))).toEqual(['fail', 'chat.answers'])
  expect(verdictsOf(inBoth({ error: 'no streams here' }))).toEqual(['fail', 'fail'])
})

test('a plain request that is refused in one way in both modes is one failure', () => {
  const refused = (body: unknown) => [
    failed('chat.answers', answered(401, { error: 'The node wants a key.' }), ['2xx'], must),
    failed('stream.answers', answered(401, body), ['2xx'], must),
    failed('a.roles', answered(401, body), ['2xx'], must),
  ]
  expect(verdictsOf(refused({ error: 'The node wants a key.' }))).toEqual(['fail', 'chat.answers', 'fail'])
  expect(verdictsOf(refused({ error: 'No streams here.' }))).toEqual(['fail', 'fail', 'fail'])
})

test('a request that may be valid or at fault stands behind either, and does not join the two', () => {
  const sent = [
    ['a.quotes', ['2xx']],
    ['a.odd', ['2xx', '4xx']],
    ['b.refused', ['4xx']],
    ['c.refused', ['4xx']],
  ] as const
  const results = sent.map(([id, expected]) => failed(id, answered(500, crash), expected))
  expect(verdictsOf(results)).toEqual(['fail', 'a.quotes', 'fail', 'b.refused'])
})

test('a check that names the one it stands behind is blocked only where that one failed', () => {
  const second = failed('a.second', undefined, [])
  const behind = { ...second, check: { ...second.check, sameCauseAs: [idOf('a.first')] } }
  expect(verdictsOf([failed('a.first', undefined, []), behind])).toEqual(['fail', 'a.first'])
  const undecided = {
    ...failed('a.first', undefined),
    verdict: { kind: 'untestable', cause: 'text', reason: 'x' },
  } as const
  expect(verdictsOf([undecided, behind])).toEqual(['untestable', 'fail'])
})

test('a check stands behind whatever kept the one it names from running', () => {
  const root = failed('a.root', undefined, [])
  const skipped = { ...failed('a.first', undefined, []), verdict: { kind: 'blocked', by: 'a.root' } } as const
  const second = failed('a.second', undefined, [])
  const behind = { ...second, check: { ...second.check, sameCauseAs: [idOf('a.first')] } }
  expect(verdictsOf([root, skipped, behind])).toEqual(['fail', 'a.root', 'a.root'])
  expect(verdictsOf([skipped, behind])).toEqual(['a.root', 'fail'])
})

test('a check that stands behind another is no root of others', () => {
  const first = failed('a.first', answered(500, crash), ['2xx', '4xx'])
  const behind = { ...first, check: { ...first.check, sameCauseAs: [idOf('b.later')] } }
  const results = [behind, failed('b.later', answered(500, crash)), failed('b.last', answered(500, crash))]
  expect(verdictsOf(results)).toEqual(['b.later', 'fail', 'b.later'])
})

test('what shows another cause, or none, stands for itself', () => {
  const results = [
    failed('a.first', answered(500, crash)),
    failed('a.other-form', answered(500, { error: { type: 'database' } })),
    failed('a.other-status', answered(502, crash)),
    failed('a.valid-request', answered(500, crash), ['2xx']),
    failed('b.valid-request', answered(500, crash), ['2xx']),
    failed('a.not-refused', answered(500, crash), []),
    failed('a.accepted', answered(200, {})),
    failed('a.silent', undefined),
  ]
  expect(verdictsOf(results)).toEqual(results.map(() => 'fail'))
})

test('a server that ends up with one error for whatever it is asked is one failure', () => {
  const results = [
    failed('a.valid', answered(500, crash), ['2xx'], must),
    failed('b.refused', answered(500, crash), ['4xx']),
    failed('c.valid', answered(502, crash), ['2xx']),
    { ...failed('service.survives-the-run', undefined, [], must), exchanges: [answered(500, crash)] },
  ]
  expect(verdictsOf(results)).toEqual(['service.survives-the-run', 'fail', 'fail', 'fail'])
})

test('so is one that blames its breakdown on the client, where it does so word by word', () => {
  const gone = answered(404, { error: 'generation thread died' })
  const results = [
    failed('a.valid', gone, ['2xx'], must),
    failed('b.other-words', answered(404, { error: 'no such model' }), ['2xx']),
    failed('c.other-status', answered(400, { error: 'generation thread died' }), ['2xx']),
    failed('d.refused', gone, ['4xx']),
    failed('e.valid', gone, ['2xx']),
    { ...failed('service.survives-the-run', undefined, [], must), exchanges: [gone] },
  ]
  const root = 'service.survives-the-run'
  expect(verdictsOf(results)).toEqual([root, 'fail', 'fail', 'fail', root, 'fail'])
})

test('a value that is missing from a reply which is no JSON stands behind that', () => {
  const broken = answered(200, undefined, '{"content":"\\v","usage":{"prompt_tokens":7}}')
  const results = [
    failed('a.count', broken, []),
    failed('a.other-count', answered(200, { usage: {} }), []),
    failed('reply.one-json-value', broken, [], must),
  ]
  expect(verdictsOf(results)).toEqual(['reply.one-json-value', 'fail', 'fail'])
  expect(verdictsOf(results.slice(0, 2))).toEqual(['fail', 'fail'])
})
