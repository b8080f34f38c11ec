import { faults } from '../../../detection/faults/index.ts'
import { renderDetectionPage } from '../../../detection/run/page.ts'
import type { Score } from '../../../detection/run/score.ts'
import type { SerializedResult } from '../../../src/check/result.ts'
import type { Verdict } from '../../../src/check/verdict.ts'
import { readContract } from '../../../src/fixtures.ts'
import { compareSamples } from '../../../src/load/compare.ts'
import { readObjectives } from '../../../src/load/schedule/objective.ts'
import { planOf } from '../../../src/load/test-tools.ts'
import { renderJson } from '../../../src/report/conformance/json.ts'
import { passportOf } from '../../../src/report/conformance/passport.ts'
import { loadReport, loadResult } from '../../../src/report/load/test-tools.ts'
import { renderComparisonPage } from '../../../src/report/pages/comparison.ts'
import { renderConformancePage } from '../../../src/report/pages/conformance.ts'
import { renderLoadPage } from '../../../src/report/pages/load.ts'
import { renderPassportPage } from '../../../src/report/pages/passport.ts'
import { renderRunsPage } from '../../../src/report/pages/runs.ts'
import type { Report } from '../../../src/report/report.ts'
import type { Rules } from '../../../src/report/rule.ts'
import { exchange, report } from '../../../src/report/test-tools.ts'
import { checks } from '../../index.ts'

const events = Array.from({ length: 40 }, (_, index) => `data: {"choices":[{"delta":{"content":"word ${index}"}}]}\n\n`)

/** A stream of which the last event but three is wrong. */
const streamed: SerializedResult['exchanges'][number] = {
  ...exchange,
  answer: { status: 200, headMs: 3, headers: [['content-type', 'text/event-stream']], body: { text: events.join('') } },
  arrivals: events.map((text, index) => [5 + 10 * index, text.length]),
  endedAtMs: 410,
}

const failure: Verdict = {
  kind: 'fail',
  wrong: 'A stream holds what it should not hold.',
  what: 'the text of a stream',
  expected: 'nothing of the kind',
  actual: '"word 36"',
}

/** What a check of the sample ended in: some of them in each way. */
function verdictOf(index: number, level: SerializedResult['level']): Verdict {
  if (level === 'open') return { kind: 'observed', value: { status: 200, twoModels: [400, 404], firstMs: 12 } }
  if (index % 9 === 0) return failure
  if (index % 7 === 0)
    return { kind: 'untestable', cause: 'capability', reason: `needs nodes: pass --nodes, ${index % 21} of them` }
  if (index % 11 === 0) return { kind: 'not-applicable', reason: 'the gateway sets no cookie' }
  if (index % 13 === 0) return { kind: 'blocked', by: checks[0]?.id ?? '' }
  return { kind: 'pass', proofs: 40, proved: ['status', 'what the reply holds', 'whether it ended in time'] }
}

/** Every check there is. `shift` moves the verdicts, so that two runs differ. */
function sampleRun(shift: number, startedAt: string): Report {
  const results = checks.map(({ id, clause, states, level, since }, index): SerializedResult => {
    const verdict = verdictOf(index + shift, level)
    const exchanges = verdict.kind === 'fail' ? [exchange, streamed] : []
    return { id, clause, states, level, since, needs: [], verdict, exchanges, durationMs: 3 }
  })
  const whole = report(results, 1)
  return { ...whole, run: { ...whole.run, startedAt } }
}

const objectives = readObjectives('ttft.p95<100ms,gap.p99<200ms,errors<1%')
const plan = { ...planOf('http://127.0.0.1:8080'), objectives }

function samplesOf(factor: number): Parameters<typeof compareSamples>[0] {
  return loadResult(plan, 30).samples.map(({ values }) => ({ ...values, ttft: (values.ttft ?? 0) * factor }))
}

function detectionScore(): Score {
  const scores = Object.entries(faults).map(([name, { about, breaks }], index) => {
    const root = breaks[0] ?? ''
    const check = checks.find(({ id }) => id === root)
    const caught = index % 50 !== 0
    return {
      name,
      about,
      root,
      clause: check?.clause ?? '',
      level: check?.level ?? 'must',
      caught,
      missing: [],
      strangers: [],
    }
  })
  const falseAlarms = [
    {
      subject: 'combination 3',
      entries: ['one', 'two'],
      check: checks[0]?.id ?? '',
      said: 'status: expected 200, got 400',
    },
  ]
  const matrix = Object.fromEntries(scores.map(({ name, root, caught }) => [name, caught ? [root] : []]))
  return {
    faults: scores,
    legal: 300,
    falseAlarms,
    problems: ['a gateway could not be judged'],
    secondLooks: [],
    matrix,
  }
}

/** Every page that Assay writes, at its full size. */
export function samplePages(): Readonly<Record<string, string>> {
  const contract = readContract()
  const rules: Rules = new Map(
    checks.map(({ id, level, clause, why, fix, states }) => [id, { id, level, clause, why, fix, statements: states }]),
  )
  const [before, after] = [sampleRun(0, '2026-01-01T00:00:00.000Z'), sampleRun(1, '2026-01-02T00:00:00.000Z')]
  const documentOf = (run: Report): unknown => JSON.parse(renderJson(run))
  const points = Array.from({ length: 12 }, (_, at) => at + 1).map((value) => ({ value, result: loadResult(plan, 5) }))
  const metrics = compareSamples(samplesOf(1), samplesOf(1.5), () => 0.05, 1)
  const target = { target: { baseUrl: 'http://127.0.0.1:8080', apiPath: '/v1', model: 'small' } }
  return {
    conformance: renderConformancePage(before, rules, contract),
    passport: renderPassportPage(passportOf(before, rules), rules, contract),
    runs: renderRunsPage(
      [before, after].map((run) => ({ report: run, document: documentOf(run) })),
      contract,
    ),
    load: renderLoadPage(loadReport(plan)),
    sweep: renderLoadPage(loadReport(plan, { knee: { value: 4, points } })),
    comparison: renderComparisonPage(target, target, { kind: 'load', metrics, cautions: [] }),
    detection: renderDetectionPage(detectionScore(), { seed: 1, full: true, durationS: 900 }),
  }
}
