import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { curlOf } from './curl.ts'
import { createRedactor } from './redact.ts'
import type { HeaderList } from './transcript.ts'

const key = 'sk-assay-Q7mB2vXt0Lr9ZkPd'
const redactor = createRedactor([
  { value: key, shape: '$ASSAY_API_KEY' },
  { value: `${key}x`, shape: `\${ASSAY_API_KEY}x` },
  { value: key.slice(0, -1), shape: `\${ASSAY_API_KEY%?}` },
  { value: 'hunter2-hunter2' },
])

function curl(headers: HeaderList, body?: string): string {
  return curlOf({ method: 'POST', url: 'http://gateway/v1', headers, ...(body !== undefined && { body }) }, redactor)
}

/** What a shell passes to curl, with the key in its variable. */
function argumentsOf(line: string): string[] {
  const script = `curl() { printf '%s\\0' "$@"; }\n${line}`
  const out = execFileSync('bash', ['-c', script], { env: { ...process.env, ASSAY_API_KEY: key } }).toString()
  return out.split('\0').slice(0, -1)
}

test.each([
  ['the key', `Bearer ${key}`, '"Authorization: Bearer $ASSAY_API_KEY"'],
  ['another case of the scheme', `bearer ${key}`, '"Authorization: bearer $ASSAY_API_KEY"'],
  ['more than the key', `Bearer ${key}x`, `"Authorization: Bearer \${ASSAY_API_KEY}x"`],
  ['less than the key', `Bearer ${key.slice(0, -1)}`, `"Authorization: Bearer \${ASSAY_API_KEY%?}"`],
  ['no space before the key', `Bearer${key}`, '"Authorization: Bearer$ASSAY_API_KEY"'],
  ['an invented key', 'Bearer null', "'Authorization: Bearer null'"],
  ['a wrong scheme', 'Basic !!!', "'Authorization: Basic !!!'"],
  ['characters of the shell', `Bearer "$HOME" ${key}`, '"Authorization: Bearer \\"\\$HOME\\" $ASSAY_API_KEY"'],
])('the line of a request with %s shows its shape, and sends what was sent', (_, value, shown) => {
  const line = curl([['Authorization', value]])
  expect(line).toContain(`-H ${shown}`)
  expect(line).not.toContain(key.slice(0, -4))
  expect(argumentsOf(line)).toContain(`Authorization: ${value}`)
})

test('a request without a key has no header for one', () => {
  expect(curl([['Accept', '*/*']])).not.toMatch(/authorization|ASSAY_API_KEY/i)
})

test('letters outside ASCII are typed as letters', () => {
  const sent = Buffer.from('Bearer ключ').toString('latin1')
  expect(curl([['Authorization', sent]])).toContain("'Authorization: Bearer ключ'")
})

test('control characters are escaped, and sent as they were', () => {
  const body = `{\r\n\t"a'b\\\\c":\x1b}`
  const line = curl([], body)
  expect(line).toContain('{\\x0d\n\t')
  expect(argumentsOf(line)).toContain(body)
})

test('bytes that are no text are escaped, and sent as they were', () => {
  const body = Buffer.from([...Buffer.from('{"a":"Zoë '), 0xff, 0xc3, ...Buffer.from('0"}')])
  const line = curlOf({ method: 'POST', url: 'http://gateway/v1', headers: [], body }, redactor)
  expect(line).toContain('\\xff\\xc3')
  const out = execFileSync('bash', ['-c', `curl() { printf '%s' "\${@: -1}"; }\n${line}`])
  expect(Buffer.compare(out, body)).toBe(0)
})

test('a secret in another header, in the address or in the body is masked', () => {
  const headers = [['X-Secret', 'hunter2-hunter2']] as const
  const line = curlOf({ method: 'POST', url: `http://gateway/?key=${key}`, headers, body: `{"a":"${key}"}` }, redactor)
  expect(line).toContain("'X-Secret: [redacted]'")
  expect(line).toContain("'http://gateway/?key=[redacted]'")
  expect(line).toContain('\'{"a":"[redacted]"}\'')
})
