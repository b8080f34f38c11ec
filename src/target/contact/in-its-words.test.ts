import { expect, test } from 'vitest'
import { configFor } from '../../../suites/0-self/config.ts'
import { readAnswer } from '../answer.ts'
import type { TargetConfig } from '../config.ts'
import { inItsWords } from './in-its-words.ts'

function said(body: string, type = 'application/json', own: Partial<TargetConfig> = {}): string {
  const answer = readAnswer({
    id: 1,
    request: { method: 'GET', url: 'http://h/api/v1/models', headers: [] },
    sentAt: 0,
    head: { status: 401, headers: [['Content-Type', type]], atMs: 1 },
    arrivals: [{ bytes: Buffer.from(body), atMs: 1 }],
    ending: 'complete',
    endedAtMs: 1,
  })
  return inItsWords(answer, configFor('http://h', { keys: { main: 'sk-of-a-test' }, ...own }))
}

test.each([
  ['{"error":{"message":"No such key.","code":1}}', ': "No such key"'],
  ['{"error":"invalid\\n key"}', ': "invalid key"'],
  ['{"message":"no"}', ': "no"'],
  ['{"detail":"Not authenticated"}', ': "Not authenticated"'],
  ['{"code":7}', ': "{"code":7}"'],
  ['', ''],
])('an error that is %s is told as "%s"', (body, words) => {
  expect(said(body)).toBe(words)
})

test('plain text is told as it is, and a web page only called that', () => {
  expect(said('unauthorized\n', 'text/plain')).toBe(': "unauthorized"')
  expect(said('<h1>401</h1>', 'text/html; charset=utf-8')).toBe(' (a web page)')
})

test('a key that comes back is not shown, not even where the words are cut', () => {
  expect(said('{"error":"sk-of-a-test is unknown"}')).toBe(': "[redacted] is unknown"')
  for (const length of [185, 190, 195, 199]) {
    const words = said(JSON.stringify({ error: `${'x'.repeat(length)} sk-of-a-test is unknown` }))
    expect(words).not.toContain('sk-')
    expect(words.length).toBeLessThan(210)
  }
})

test('nor is one that was given as a header, with its scheme or without', () => {
  const own = { keys: {}, headers: [['Authorization', 'Bearer sk-of-a-header']] as const }
  for (const shown of ['Bearer sk-of-a-header', 'sk-of-a-header'])
    expect(said(`no such key: ${shown}`, 'text/plain', own)).toMatch(/^: "no such key: (Bearer )?\[redacted\]"$/)
})
