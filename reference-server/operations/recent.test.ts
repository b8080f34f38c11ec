import { expect, test } from 'vitest'
import type { EndedRequest } from './activity.ts'
import { recentMax, recentRequests } from './recent.ts'

const ended: EndedRequest = {
  number: 1,
  path: '/api/v1/chat/completions',
  model: 'small',
  keyId: 'k',
  method: 'POST',
  status: 200,
  requestId: 'req_1',
  durationMs: 12,
  firstTokenMs: null,
  code: null,
  nodeId: 'a',
  left: false,
}

test('counts how requests ended, and takes percentiles of whole replies only', () => {
  const recent = recentRequests()
  for (let ms = 1; ms <= 100; ms += 1)
    recent.add({ ...ended, durationMs: ms, firstTokenMs: ms % 2 === 0 ? ms / 2 : null }, { tried: new Set(['a']) })
  recent.add({ ...ended, status: 503, code: 'model_unavailable', durationMs: 9000 }, { tried: new Set(['a']) })
  recent.add({ ...ended, status: 429, code: 'rate_limit_exceeded', nodeId: null }, { tried: new Set() })
  recent.add({ ...ended, left: true, durationMs: 5000, firstTokenMs: 4000 }, { tried: new Set(['a']) })
  const times = { durationMs: { p50: 50, p95: 95, p99: 99 }, firstTokenMs: { p50: 25, p95: 48, p99: 50 } }
  expect(recent.byModel()).toEqual([
    { name: 'small', requests: 103, ended: { ok: 100, refused: 1, failed: 1, left: 1 }, ...times },
  ])
  expect(recent.byNode()).toEqual([
    { name: 'a', requests: 102, ended: { ok: 100, refused: 0, failed: 1, left: 1 }, ...times },
  ])
})

test('a node that another one stood in for has failed; what has no model is nobody’s', () => {
  const recent = recentRequests()
  recent.add({ ...ended, nodeId: 'b' }, { tried: new Set(['a', 'b']) })
  recent.add({ ...ended, model: null, nodeId: null, status: 401, code: 'invalid_api_key' }, { tried: new Set() })
  expect(recent.byModel().map(({ requests }) => requests)).toEqual([1])
  expect(recent.byNode().map(({ name, ended: { ok, failed } }) => [name, ok, failed])).toEqual([
    ['a', 0, 1],
    ['b', 1, 0],
  ])
})

test('only the last requests count', () => {
  const recent = recentRequests()
  const tried = new Set(['a'])
  for (let at = 0; at < recentMax; at += 1) recent.add({ ...ended, status: 503, code: 'model_unavailable' }, { tried })
  for (let at = 0; at < recentMax; at += 1) recent.add(ended, { tried })
  expect(recent.byModel()[0]).toMatchObject({ requests: recentMax, ended: { ok: recentMax, failed: 0 } })
})
