import { expect, test } from 'vitest'
import type { SerializedResult } from '../../check/result.ts'
import type { Verdict } from '../../check/verdict.ts'
import { readContract } from '../../fixtures.ts'
import { type Report, summarize } from '../report.ts'
import { renderBadge } from './badge.ts'
import { renderTerminal } from './terminal.ts'

function result(clause: string, id: string, verdict: Verdict): SerializedResult {
  const exact = { level: 'must', states: ['x'], since: '0.1.0', needs: [], exchanges: [], durationMs: 1 } as const
  return { id, clause, ...exact, verdict }
}

function reportOf(results: readonly SerializedResult[], exitCode: number, more: Partial<Report> = {}): Report {
  return {
    harness: { name: 'inference-assay', version: '0.1.0' },
    contract: 'v1',
    target: { baseUrl: 'http://gateway', apiPath: '/v1', models: ['m'], model: 'm', capabilities: [] },
    run: { startedAt: '', durationMs: 1000, seed: 1, runs: 10, requests: 1, tokens: 1, costUsd: null },
    evidenceFolder: 'assay-evidence',
    gate: { level: 'must', exitCode, reason: 'nothing failed' },
    summary: summarize(results),
    roots: [],
    results,
    ...more,
  }
}

const pass: Verdict = { kind: 'pass', proofs: 1 }
const lacks: Verdict = { kind: 'untestable', cause: 'capability', reason: 'needs control' }
const contract = readContract()
const textOf = (report: Report): string =>
  renderTerminal(report, { color: false, quiet: false, verbose: false, contract, rules: new Map() })

test('a clause has a tick only if something in it passed, and names what blocked the rest', () => {
  const text = textOf(
    reportOf(
      [
        result('2.1', 'a.passes', pass),
        result('2.6', 'b.lacks', lacks),
        result('4', 'c.seen', { kind: 'observed', value: 1 }),
        result('6', 'd.blocked', { kind: 'blocked', by: 'chat.answers' }),
      ],
      0,
    ),
  )
  expect(text).toMatch(/^✓ 2\.1 .* 1 pass$/m)
  expect(text).toMatch(/^– 2\.6 .* 1 untestable$/m)
  expect(text).toMatch(/^◦ 4 \w.* 1 observed$/m)
  expect(text).toMatch(/^– 6 .* 1 blocked by chat\.answers$/m)
  expect(text).toContain('Conformant in what was tested: 2 of 4; 2 not decided (nothing failed)')
  expect(text).toContain('http://gateway/v1, model m; 1 request, 1 token; seed 1')
})

test('the embedded gateway is named and not its port', () => {
  const text = textOf(
    reportOf([result('2.1', 'a.passes', pass)], 0, { replay: { embedded: true, long: false, load: false } }),
  )
  expect(text).toContain('the embedded reference gateway, model m')
})

test('a green badge says how much it is about', () => {
  expect(renderBadge(reportOf([result('2.1', 'a.passes', pass)], 0))).toContain('"message":"conformant"')
  const partly = reportOf([result('2.1', 'a.passes', pass), result('2.6', 'b.lacks', lacks)], 0)
  expect(renderBadge(partly)).toContain('"message":"conformant in 1 of 2"')
})
