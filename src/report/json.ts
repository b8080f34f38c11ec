import type { SealedResult } from '../check/sealed.ts'
import type { Report } from './report.ts'
import { replayLine } from './terminal.ts'

/** The run as JSON; `fixtures/report/report.schema.json` describes it. */
export function renderJson(report: Report): string {
  const { harness, contract, target, run, gate, summary } = report
  const document = {
    schema: 'inference-assay/report/1',
    harness,
    contract,
    target,
    run,
    gate,
    summary,
    results: report.results.map((result) => rowOf(result, report)),
  }
  return `${JSON.stringify(document, null, 2)}\n`
}

function rowOf(
  { id, clause, states, level, verdict, exchanges, durationMs, left, known }: SealedResult,
  report: Report,
): object {
  const exchange = exchanges.at(-1)
  const { kind, ...rest } = verdict
  return {
    id,
    clause,
    states,
    level,
    verdict: kind,
    ...rest,
    durationMs,
    ...(left !== undefined && { left }),
    ...(known !== undefined && { known }),
    evidence: exchanges.map(({ request, answer, ending, endedAtMs }) => ({
      method: request.method,
      url: request.url,
      status: answer?.status ?? null,
      ending,
      endedAtMs,
    })),
    ...(exchange === undefined ? {} : { reproduce: { curl: exchange.curl, replay: replayLine({ id }, report) } }),
  }
}
