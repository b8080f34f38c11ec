import { HarnessError } from '../../harness-error.ts'
import { isRecord } from '../../json.ts'
import type { TraceEntry } from './arrivals.ts'

/**
 * Reads a trace of requests, as CSV with a header line or as JSON lines, in one of three shapes: the Azure LLM inference
 * traces (`TIMESTAMP,ContextTokens,GeneratedTokens`), Mooncake (`timestamp` in milliseconds, `input_length`,
 * `output_length`), and plain `t,in,out` with seconds. Times count from the first request.
 */
export function readTrace(text: string): readonly TraceEntry[] {
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== '')
  const rows = lines[0]?.trimStart().startsWith('{') === true ? lines.map(readJsonLine) : readCsv(lines)
  if (rows.length === 0) throw new HarnessError('usage', '--arrivals: the trace holds no request.')
  const entries = rows.map(readRow).sort((one, other) => one.atMs - other.atMs)
  const firstMs = entries[0]?.atMs ?? 0
  return entries.map((entry) => ({ ...entry, atMs: entry.atMs - firstMs }))
}

type Row = Readonly<Record<string, unknown>>

function readJsonLine(line: string, index: number): Row {
  try {
    const row: unknown = JSON.parse(line)
    if (isRecord(row)) return row
  } catch {
    // Reported below, with the line number.
  }
  throw new HarnessError('usage', `--arrivals: line ${index + 1} of the trace is not a JSON object.`)
}

function readCsv([head = '', ...lines]: readonly string[]): readonly Row[] {
  const names = head.split(',').map((name) => name.trim())
  return lines.map((line) => Object.fromEntries(line.split(',').map((value, at) => [names[at] ?? '', value.trim()])))
}

function readRow(row: Row, index: number): TraceEntry {
  const atMs = momentOf(row)
  if (Number.isNaN(atMs))
    throw new HarnessError(
      'usage',
      `--arrivals: request ${index + 1} of the trace has no time (TIMESTAMP, timestamp in ms, or t in s).`,
    )
  const promptTokens = count(row, 'ContextTokens', 'input_length', 'in')
  const completionTokens = count(row, 'GeneratedTokens', 'output_length', 'out')
  return {
    atMs,
    ...(promptTokens !== undefined && { promptTokens }),
    ...(completionTokens !== undefined && { completionTokens }),
  }
}

function momentOf(row: Row): number {
  if (row['TIMESTAMP'] !== undefined)
    return Date.parse(
      `${String(row['TIMESTAMP'])
        .replace(' ', 'T')
        .replace(/(\.\d{3})\d*/, '$1')}Z`,
    )
  if (row['timestamp'] !== undefined) return Number(row['timestamp'])
  return Number(row['t'] ?? Number.NaN) * 1000
}

function count(row: Row, ...names: readonly string[]): number | undefined {
  const found = names.map((name) => row[name]).find((value) => value !== undefined && value !== '')
  const number = Number(found)
  return found === undefined || !Number.isInteger(number) || number < 1 ? undefined : number
}
