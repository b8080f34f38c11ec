import { expect, test } from 'vitest'
import { HarnessError } from '../harness-error.ts'
import type { Report } from '../report/report.ts'
import { compareWith } from './second-gateway.ts'

function reportWith(exitCode: number, reason: string): Report {
  return {
    harness: { name: 'inference-assay', version: '0' },
    contract: 'v1',
    target: { baseUrl: 'http://one', apiPath: '/v1', models: [], model: null, capabilities: [] },
    notices: [],
    run: { startedAt: '', durationMs: 1, seed: 1, runs: 1, requests: 1, tokens: 1, costUsd: null },
    evidenceFolder: '',
    gate: { level: 'must', scope: 'contract', exitCode, reason },
    summary: { must: {}, should: {}, open: {} },
    roots: [],
    results: [],
  }
}

const passed = reportWith(0, 'nothing failed')
const failed = reportWith(1, '2 checks failed')
const gone = async (): Promise<Report> => {
  throw new HarnessError('target-unreachable', 'Nothing answers at http://two.')
}
const stopped = async (): Promise<Report> => {
  throw new HarnessError('interrupted', 'Interrupted before anything was known.')
}
const cut = async (): Promise<Report> => reportWith(130, 'interrupted after 3 of 9 checks')

test.each([
  ['is whole', passed, async () => failed, 0, 'nothing failed'],
  ['cannot be reached', passed, gone, 3, 'the second gateway was not judged: Nothing answers at http://two.'],
  ['cannot be reached, after a failure of the first', failed, gone, 1, '2 checks failed; the second gateway was not'],
  ['is interrupted at once', failed, stopped, 130, 'not judged: Interrupted'],
  ['is interrupted', passed, cut, 130, 'interrupted after 3 of 9 checks of the second gateway'],
])('the first report stands when the second run %s', async (_, first, second, exitCode, reason) => {
  const { gate, target } = await compareWith(first, 'http://two', second)
  expect(gate.exitCode).toBe(exitCode)
  expect(gate.reason).toContain(reason)
  expect(target.baseUrl).toBe('http://one')
})
