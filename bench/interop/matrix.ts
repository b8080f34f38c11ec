/** The fields of a JSON report that the matrix shows. */
export interface GatewayReport {
  readonly title: string
  readonly report: {
    readonly run: { readonly requests: number; readonly durationMs: number }
    readonly summary: Readonly<Record<string, Readonly<Record<string, number>>>>
    readonly results: readonly Result[]
  }
}

interface Result {
  readonly id: string
  readonly level: string
  readonly verdict: string
  readonly what?: string
  readonly expected?: string
  readonly actual?: string
  readonly value?: unknown
}

const shownCharsMax = 160

/** The page of what was found, gateway by gateway and check by check. */
export function matrixOf(reports: readonly GatewayReport[], day: Date): string {
  const ids = [...new Set(reports.flatMap(({ report }) => report.results.map(({ id }) => id)))]
  const interesting = ids.filter((id) => reports.some((one) => resultOf(one, id)?.verdict === 'fail'))
  const observed = ids.filter((id) => reports.some((one) => resultOf(one, id)?.verdict === 'observed'))
  return [
    '# Real gateways, judged from both sides',
    `Written by \`npm run interop\` on ${day.toISOString().slice(0, 10)}. Each gateway stood between our client and two of our operator nodes. A gateway that follows a different contract may fail checks without being wrong by its own.`,
    '## Verdicts',
    table([
      ['gateway', 'must: pass / fail', 'should: pass / fail', 'requests', 'seconds'],
      ...reports.map(({ title, report: { summary, run } }) => [
        title,
        counts(summary['must']),
        counts(summary['should']),
        String(run.requests),
        (run.durationMs / 1000).toFixed(1),
      ]),
    ]),
    '## Checks that at least one gateway fails',
    table([
      ['check', ...reports.map(({ title }) => title)],
      ...interesting.map((id) => [id, ...reports.map((one) => wordOf(resultOf(one, id)))]),
    ]),
    '## What was seen where a check failed',
    ...reports.flatMap((one) => [`### ${one.title}`, failuresOf(one)]),
    '## What they do where the contract is silent',
    table([
      ['observation', ...reports.map(({ title }) => title)],
      ...observed.map((id) => [id, ...reports.map((one) => observationOf(resultOf(one, id)))]),
    ]),
    '',
  ].join('\n\n')
}

function resultOf({ report }: GatewayReport, id: string): Result | undefined {
  return report.results.find((result) => result.id === id)
}

function counts(summary: Readonly<Record<string, number>> = {}): string {
  return `${summary['pass'] ?? 0} / ${summary['fail'] ?? 0}`
}

function wordOf(result: Result | undefined): string {
  return result === undefined ? '' : result.verdict === 'fail' ? `**fail** (${result.level})` : result.verdict
}

function failuresOf({ report }: GatewayReport): string {
  const rows = report.results.filter(({ verdict }) => verdict === 'fail')
  if (rows.length === 0) return 'Nothing failed.'
  return rows
    .map(
      ({ id, what = '', expected = '', actual = '' }) =>
        `- \`${id}\` ${cell(what)}: expected ${cell(expected)}, got ${cell(actual)}`,
    )
    .join('\n')
}

function observationOf(result: Result | undefined): string {
  return result?.verdict === 'observed' ? `\`${JSON.stringify(result.value).replaceAll('`', "'")}\`` : ''
}

function table(rows: readonly (readonly string[])[]): string {
  const [head = [], ...rest] = rows
  const line = (cells: readonly string[]): string => `| ${cells.map(cell).join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rest.map(line)].join('\n')
}

/** Text that cannot break a table; addresses of one run mean nothing to a reader. */
function cell(text: string): string {
  const plain = text
    .replace(/127\.0\.0\.1:\d+/g, '127.0.0.1:PORT')
    .replaceAll('|', '\\|')
    .replace(/\s+/g, ' ')
  return plain.length > shownCharsMax ? `${plain.slice(0, shownCharsMax)}…` : plain
}
