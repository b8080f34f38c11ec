import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { LLMock } from '@copilotkit/aimock'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { isRecord, listAt, parseJson, textAt } from '../../src/json.ts'
import { assay } from './assay.ts'

const text =
  'The harbour was quiet that night. Boats lay at their moorings while rain fell on the lamps along the quay.'
const mock = new LLMock({ port: 0, host: '127.0.0.1', chunkSize: 7 })
let folder: string

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'assay-test-'))
  mock.on({}, { content: text })
  await mock.start()
})

afterAll(async () => {
  await mock.stop()
  rmSync(folder, { recursive: true, force: true })
})

test('judges a real mock server: names its failures, passes what it does well, and makes no error of its own', async () => {
  const { exitCode, out } = await assay(
    ['conformance', '--base-url', mock.url, '--runs', '10', '--report', 'json'],
    {},
    folder,
  )
  const results = listAt(parseJson(out), 'results').filter(isRecord)
  const verdictOf = (id: string): string | undefined =>
    textAt(
      results.find((result) => result['id'] === id),
      'verdict',
    )
  expect(exitCode).toBe(1)
  // It checks no range, knows neither `stop` nor `max_tokens`, answers for any model, and lists prices as strings.
  const failures = [
    'temperature.above-range-refused',
    'temperature.below-range-refused',
    'top-p.above-range-refused',
    'top-p.below-range-refused',
    'stop.ends-text',
    'max-tokens.limits-the-text',
    'message.unknown-role-refused',
    'unknown-model.refused',
    'models.pricing',
  ]
  expect(failures.filter((id) => verdictOf(id) !== 'fail')).toEqual([])
  // The same again in the other mode, or of a part of what is missing, is no failure of its own.
  const echoes = [
    'stop.ends-stream',
    'max-tokens.limits-the-stream',
    'max-tokens.count-within-limit',
    'models.pricing-unit',
  ]
  expect(echoes.filter((id) => verdictOf(id) !== 'blocked')).toEqual([])
  expect(results.filter(({ verdict }) => verdict === 'error')).toEqual([])
  // What it does well passes.
  for (const id of [
    'chat.answers',
    'stream.answers',
    'stream.ends-with-done',
    'chunk.id-constant',
    'stream.equals-reply',
    'usage.present',
  ]) {
    expect([id, verdictOf(id)]).toEqual([id, 'pass'])
  }
})
