import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { faults } from '../../detection/faults/index.ts'
import { startGateway } from '../../reference-server/main.ts'
import { assay } from './assay.ts'

const folder = mkdtempSync(join(tmpdir(), 'assay-verify-'))
const wrong = 'stop.sequence-not-included'

beforeAll(async () => {
  const wraps = [faults['stop-sequence-included'].wrap()]
  const gateway = await startGateway({ demo: true, wraps })
  const env = { ASSAY_API_KEY: gateway.demo?.apiKey ?? '', ASSAY_SECOND_KEY: gateway.demo?.secondKey ?? '' }
  const run = await assay(
    [
      'conformance',
      '--base-url',
      gateway.baseUrl,
      '--seed',
      '3',
      '--runs',
      '5',
      '--level',
      'should',
      '--evidence',
      folder,
    ],
    env,
  )
  await gateway.close()
  expect(run.exitCode).toBe(1)
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const run = join(folder, 'latest', 'run.json')

/** Verifies with one file changed, and restores it. */
async function tampered(file: string, change: (text: string) => string) {
  const path = join(folder, 'latest', file)
  const before = readFileSync(path, 'utf8')
  const changed = change(before)
  expect(changed).not.toBe(before)
  writeFileSync(path, changed)
  try {
    return await assay(['verify', run])
  } finally {
    writeFileSync(path, before)
  }
}

describe('assay verify', () => {
  test('gets the same verdicts from the evidence, passes and failures, without the gateway', async () => {
    const { exitCode, out } = await assay(['verify', run, '--verbose'])
    expect(exitCode, out).toBe(0)
    const [, same = '0', different] = /(\d+) verdicts follow from the evidence, (\d+) differ/.exec(out) ?? []
    expect(Number(same)).toBeGreaterThan(120)
    expect(different).toBe('0')
    for (const id of [wrong, 'stream.ends-with-done', 'temperature.above-range-refused'])
      expect(out).not.toContain(`${id}: needs`)
  })

  test('leaves audits of what other checks asked of our nodes as they are', async () => {
    const kept = mkdtempSync(join(tmpdir(), 'assay-verify-nodes-'))
    try {
      const only = ['relay.reply-text-exact', 'relay.exchange-details'].flatMap((id) => ['--only', id])
      const judged = await assay(['conformance', ...only, '--seed', '3', '--evidence', kept])
      expect(judged.exitCode, judged.out).toBe(0)
      const { exitCode, out } = await assay(['verify', join(kept, 'latest', 'run.json')])
      expect(exitCode, out).toBe(0)
    } finally {
      rmSync(kept, { recursive: true, force: true })
    }
  })

  test('names a failure that was removed from the report', async () => {
    const { exitCode, out } = await tampered('run.json', (text) => {
      const document = JSON.parse(text)
      const result = document.results.find(({ id }: { id: string }) => id === wrong)
      Object.assign(result, { verdict: 'pass', proofs: 1 })
      return JSON.stringify(document)
    })
    expect(exitCode).toBe(1)
    expect(out).toContain(`${wrong}: the report says pass; the evidence says fail`)
  })

  test('names a verdict that its evidence contradicts', async () => {
    const { exitCode, out } = await tampered('stream.ends-with-done.json', (text) =>
      text.replaceAll('[DONE]', '[D0NE]'),
    )
    expect(exitCode).toBe(1)
    expect(out).toContain('stream.ends-with-done: the report says pass; the evidence says fail')
  })

  test('says which file or evidence is missing', async () => {
    expect((await assay(['verify'])).err).toContain('verify takes one file')
    const elsewhere = await assay(['verify', run, '--evidence', tmpdir()])
    expect(elsewhere.exitCode).not.toBe(0)
    expect(elsewhere.err).toContain('There is no evidence of the run of')
  })
})
