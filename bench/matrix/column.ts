import type { JsonReport } from '../../src/report/conformance/json.ts'
import { readExchanges } from '../../src/report/evidence.ts'
import { excerptAround } from '../../src/report/excerpt.ts'
import { bodyText } from '../../src/wire/recorded-exchange.ts'
import type { Cell, Column } from '../results.ts'
import { digestOf, evidenceOf, type Judged } from './judge.ts'
import type { Server } from './server.ts'

const shownCharsMax = 240
const curlCharsMax = 500

/** What is kept of a run: verdicts, what failed with the exchange that shows it, and what was observed. */
export function columnOf(server: Server, version: string, { report, command }: Judged, set: string): Column {
  const evidence = evidenceOf(server, version)
  const { seed, requests, tokens, durationMs, startedAt } = report.run
  return {
    schema: 'inference-assay/result/1',
    server: server.name,
    version,
    title: server.title,
    kind: server.kind,
    from: server.from,
    assay: report.harness.version,
    set,
    date: startedAt.slice(0, 10),
    repeat: [`npm run matrix -- ${server.name}@${version}`, command],
    run: { seed, requests, tokens, durationMs: Math.round(durationMs) },
    evidence: `sha256:${digestOf(evidence)}`,
    results: report.results.map((row) => cellOf(row, evidence)),
  }
}

type Row = JsonReport['results'][number]

function cellOf(row: Row, evidence: string): Cell {
  const { id, verdict, ...rest } = row as Row & Partial<Cell>
  const own = { id, verdict }
  if (verdict === 'fail') return { ...own, ...failureOf({ ...own, ...rest }, evidence) }
  if (verdict === 'blocked' && rest.by !== undefined) return { ...own, by: rest.by }
  if (verdict === 'untestable' && rest.cause !== undefined) return { ...own, cause: rest.cause }
  if (verdict === 'observed') return { ...own, value: smallValue(rest.value) }
  return own
}

function failureOf({ id, what = '', expected = '', actual = '' }: Partial<Cell>, evidence: string): Partial<Cell> {
  const exchange = readExchanges(evidence, id ?? '').findLast(({ request }) => !request.url.includes('/control/v1/'))
  const body = bodyText(exchange?.answer?.body)
  const { before, marked, after } = excerptAround(body, { what, actual }, shownCharsMax)
  const status = exchange?.answer === undefined ? `no answer: ${exchange?.ending}` : `HTTP ${exchange.answer.status}`
  return {
    what: shown(what),
    expected: shown(expected),
    actual: shown(actual),
    ...(exchange !== undefined && {
      curl: shown(exchange.curl, curlCharsMax),
      answer: shown(`${status}\n${before}${marked}${after}`, shownCharsMax + 40),
    }),
  }
}

function smallValue(value: unknown): unknown {
  const text = JSON.stringify(value) ?? 'null'
  return text.length > shownCharsMax ? shown(text) : JSON.parse(shown(text))
}

/** Without the addresses, folders and keys of one run, which mean nothing to a reader. */
function shown(text: string, charsMax = shownCharsMax): string {
  const plain = text
    .replaceAll(/127\.0\.0\.1:\d+/g, '127.0.0.1:PORT')
    .replaceAll(/\/[^\s"'(]*\/\.cache\/matrix\//g, '…/')
  return plain.length > charsMax ? `${plain.slice(0, charsMax)}…` : plain
}
