import type { SerializedResult } from '../check/result.ts'
import type { Verdict } from '../check/verdict.ts'
import { type Report, summarize } from './report.ts'
import { rootsOf } from './roots.ts'
import type { Rules } from './rule.ts'

/** Text that would act in HTML, in Markdown and on a command line. */
export const nasty = 'a <script>alert(1)</script> | `code` & "quotes"\nsecond: line, 100%'

export const exchange: SerializedResult['exchanges'][number] = {
  request: { method: 'POST', url: 'http://gateway/api/v1/chat/completions', headers: [], body: { text: '{}' } },
  sentAt: '2026-01-01T00:00:00.000Z',
  answer: { status: 200, headers: [['content-type', 'text/html']], headMs: 4, body: { text: nasty } },
  arrivals: [
    [5, 10],
    [90, 400],
  ],
  ending: 'complete',
  endedAtMs: 100,
  curl: "curl -d '{}' http://gateway",
}

/** A check of clause 4.1; a failure comes with an exchange. */
export function result(id: string, level: SerializedResult['level'], verdict: Verdict): SerializedResult {
  const exchanges = verdict.kind === 'fail' ? [exchange] : []
  return { id, level, clause: '4.1', states: ['x'], since: '0.1.0', needs: [], verdict, exchanges, durationMs: 1 }
}

/** A run of one model that ended in these results. */
export function report(results: readonly SerializedResult[], exitCode: number): Report {
  return {
    harness: { name: 'inference-assay', version: '0.1.0' },
    contract: 'v1',
    target: { baseUrl: 'http://gateway', apiPath: '/api/v1', models: ['m'], model: 'm', capabilities: ['client'] },
    run: {
      startedAt: '2026-01-01T00:00:00.000Z',
      durationMs: 1000,
      seed: 1,
      runs: 10,
      requests: 5,
      tokens: 9,
      costUsd: null,
    },
    evidenceFolder: 'assay-evidence',
    gate: { level: 'must', exitCode, reason: exitCode === 0 ? 'nothing failed' : 'something failed' },
    summary: summarize(results),
    roots: rootsOf(
      results,
      results.map(({ id }) => ({ id, fix: 'Mend it.' })),
    ),
    results,
  }
}

/** The same words for every check. */
export function rulesOf(results: readonly SerializedResult[]): Rules {
  return new Map(
    results.map(({ id, level, clause }) => [
      id,
      { id, level, clause, why: 'Clients break.', fix: 'Mend it.', statements: ['It holds.'] },
    ]),
  )
}
