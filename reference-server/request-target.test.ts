import { expect, test } from 'vitest'
import { readTarget } from './request-target.ts'

test.each([
  ['/api/v1/models', '/api/v1/models', ''],
  ['/keys?from=1?2', '/keys', 'from=1?2'],
  ['HTTP://gateway:80/api?x', '/api', 'x'],
  ['http://[/', '/', ''],
  ['//', '//', ''],
  ['*', '*', ''],
  ['', '', ''],
])('the target %s is read', (target, path, query) => {
  expect(readTarget(target)).toEqual({ path, query })
})
