import type { SerializedResult } from '../../check/result.ts'
import type { Verdict } from '../../check/verdict.ts'
import type { RecordedExchange } from '../../wire/recorded-exchange.ts'
import type { Report } from '../report.ts'
import { replayLine } from './replay-line.ts'

/** The run as JSON; `fixtures/report/report.schema.json` describes it. */
export function renderJson(report: Report): string {
  const { harness, contract, target, run, gate, summary, notices = [], unasked, roots, against } = report
  const document = {
    schema: 'inference-assay/report/1',
    harness,
    contract,
    target,
    ...(notices.length > 0 && { notices }),
    run,
    gate,
    summary,
    ...(unasked !== undefined && { unasked }),
    roots,
    ...(against !== undefined && { against }),
    results: report.results.map((result) => rowOf(result, report)),
  }
  return `${JSON.stringify(document, null, 2)}\n`
}

/** What `renderJson` wrote, with the exchanges that were kept beside it. */
export function readJson(document: JsonReport, evidence: Evidence): Report {
  const { schema: _, results, roots = [], ...rest } = document
  return { ...rest, roots, evidenceFolder: evidence.folder, results: results.map((row) => resultOf(row, evidence)) }
}

/** Where the exchanges of a run are. */
export interface Evidence {
  /** As the user would write it. */
  readonly folder: string
  exchangesOf(checkId: string): readonly RecordedExchange[]
}

/** A run as its schema describes it. */
export interface JsonReport extends Omit<Report, 'results' | 'roots' | 'evidenceFolder'> {
  readonly schema: string
  readonly roots?: Report['roots']
  readonly results: readonly JsonResult[]
}

type JsonResult = Omit<SerializedResult, 'verdict' | 'exchanges' | 'since' | 'needs'> & {
  readonly verdict: Verdict['kind']
  readonly evidence: readonly unknown[]
  readonly reproduce?: unknown
}

function resultOf(row: JsonResult, { exchangesOf }: Evidence): SerializedResult {
  const {
    id,
    clause,
    states,
    level,
    basis,
    gravity,
    verdict,
    durationMs,
    left,
    known,
    evidence: _,
    reproduce: __,
    ...rest
  } = row
  return {
    id,
    clause,
    states,
    level,
    since: '',
    needs: [],
    ...(basis !== undefined && { basis }),
    ...(gravity !== undefined && { gravity }),
    verdict: { kind: verdict, ...rest } as Verdict,
    exchanges: exchangesOf(id),
    durationMs,
    ...(left !== undefined && { left }),
    ...(known !== undefined && { known }),
  }
}

function rowOf(
  { id, clause, states, level, basis, gravity, verdict, exchanges, durationMs, left, known }: SerializedResult,
  report: Report,
): object {
  const exchange = exchanges.at(-1)
  const { kind, ...rest } = verdict
  return {
    id,
    clause,
    states,
    level,
    ...(basis !== undefined && { basis }),
    ...(gravity !== undefined && { gravity }),
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
