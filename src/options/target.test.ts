import { expect, test } from 'vitest'
import { readTargetAddress } from './target.ts'

test.each([
  ['http://h:1', undefined, 'http://h:1', '/api/v1', false],
  ['http://h:1/', undefined, 'http://h:1', '/api/v1', false],
  ['http://h:1/v1', undefined, 'http://h:1', '/v1', false],
  ['http://h:1/v1/', undefined, 'http://h:1', '/v1', false],
  ['http://h:1/api/v1', undefined, 'http://h:1', '/api/v1', false],
  ['http://h:1/openai/v1', undefined, 'http://h:1', '/openai/v1', false],
  ['http://h:1/compat/v4', undefined, 'http://h:1/compat', '/v4', false],
  ['http://h:1/v1/chat/completions', undefined, 'http://h:1', '/v1', false],
  ['http://h:1/api/v1/models/', undefined, 'http://h:1', '/api/v1', false],
  ['http://h:1/gateway', undefined, 'http://h:1/gateway', '/api/v1', false],
  ['http://h:1', '/v1', 'http://h:1', '/v1', true],
  ['http://h:1', 'v1/', 'http://h:1', '/v1', true],
  ['http://h:1/v1', '/v1', 'http://h:1', '/v1', true],
  ['http://h:1/v1', '/api/v1', 'http://h:1/v1', '/api/v1', true],
  ['http://h:1/openai/v1', '/v1', 'http://h:1/openai', '/v1', true],
  ['http://h:1/v1/chat/completions', '/v1', 'http://h:1', '/v1', true],
  ['http://h:1', '/', 'http://h:1', '', true],
  [undefined, undefined, undefined, '/api/v1', true],
])('%s with --api-path %s is %s and %s', (base, path, baseUrl, apiPath, isDecided) => {
  expect(readTargetAddress(base, path)).toEqual({ ...(baseUrl !== undefined && { baseUrl }), apiPath, isDecided })
})

test.each([
  ['127.0.0.1:8080', 'Did you mean "http://127.0.0.1:8080"?'],
  ['localhost:8080/v1', 'Did you mean "http://localhost:8080/v1"?'],
  ['//gateway.example/v1', 'Did you mean "https://gateway.example/v1"?'],
  ['gateway.example', 'Did you mean "https://gateway.example"?'],
  ['gateway:4000', 'Did you mean "http://gateway:4000"?'],
  ['[::1]:8080', 'Did you mean "http://[::1]:8080"?'],
])('%s has no scheme, and the one that is meant is said', (text, meant) => {
  expect(() => readTargetAddress(text, undefined)).toThrow(`must be an http or https address, got "${text}". ${meant}`)
})

test.each(['ftp://x', 'nowhere', '', 'http://'])('"%s" is no address, and nothing is guessed', (text) => {
  expect(() => readTargetAddress(text, undefined, '--against')).toThrow(
    /^--against must be an http or https address, got "[^"]*"\.\n/,
  )
})
