/** The fields of a JSON report that the matrix shows. */
export interface GatewayReport {
  readonly title: string
  readonly report: {
    readonly run: { readonly requests: number; readonly durationMs: number }
    readonly results: readonly Result[]
  }
}

interface Result {
  readonly id: string
  readonly level: string
  /** What the judgement rests on: `contract`, or what any server of this kind claims. */
  readonly basis?: string
  readonly verdict: string
  readonly what?: string
  readonly expected?: string
  readonly actual?: string
  readonly value?: unknown
}

const shownCharsMax = 160

const ofTheContract = ({ basis }: Result): boolean => basis === 'contract'
const ofTheFormat = ({ basis }: Result): boolean => basis !== 'contract'

/** The page of what was found, gateway by gateway and check by check. */
export function matrixOf(reports: readonly GatewayReport[], day: Date): string {
  const ids = [...new Set(reports.flatMap(({ report }) => report.results.map(({ id }) => id)))]
  const observed = ids.filter((id) => reports.some((one) => resultOf(one, id)?.verdict === 'observed'))
  return [
    '# Real gateways, judged from both sides',
    `Written by \`npm run interop\` on ${day.toISOString().slice(0, 10)}. Each gateway stood between our client and two of our operator nodes. What breaks the format breaks clients of any such server; what differs from contract v1 is wrong only where a gateway means to keep that contract.`,
    '## Verdicts',
    table([
      ['gateway', 'pass', 'break the format: must / should', 'differ from contract v1: must / should', 'requests', 's'],
      ...reports.map(({ title, report: { results, run } }) => [
        title,
        String(results.filter(({ verdict }) => verdict === 'pass').length),
        counts(results.filter(ofTheFormat)),
        counts(results.filter(ofTheContract)),
        String(run.requests),
        (run.durationMs / 1000).toFixed(1),
      ]),
    ]),
    '## What breaks the format',
    failedBy(reports, ids, ofTheFormat),
    '## What differs from contract v1',
    failedBy(reports, ids, ofTheContract),
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

/** The failures that such a page names, as `title: check`. */
export function publishedFailures(page: string): readonly string[] {
  const [, ...parts] = page.split(/^### /m)
  return parts.flatMap((part) => {
    const [title = ''] = part.split('\n')
    return [...part.matchAll(/^- `([\w.-]+)`/gm)].map(([, id]) => `${title}: ${id}`)
  })
}

function resultOf({ report }: GatewayReport, id: string): Result | undefined {
  return report.results.find((result) => result.id === id)
}

/** The checks of one kind that at least one gateway fails. */
function failedBy(reports: readonly GatewayReport[], ids: readonly string[], isOfKind: (result: Result) => boolean) {
  const fails = (result: Result | undefined): boolean => result?.verdict === 'fail' && isOfKind(result)
  return table([
    ['check', ...reports.map(({ title }) => title)],
    ...ids
      .filter((id) => reports.some((one) => fails(resultOf(one, id))))
      .map((id) => [id, ...reports.map((one) => wordOf(resultOf(one, id)))]),
  ])
}

function counts(results: readonly Result[]): string {
  const failed = (of: string): number =>
    results.filter(({ level, verdict }) => level === of && verdict === 'fail').length
  return `${failed('must')} / ${failed('should')}`
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

/** Text that cannot break a table; the addresses and folders of one run mean nothing to a reader. */
function cell(text: string): string {
  const plain = text
    .replace(/127\.0\.0\.1:\d+/g, '127.0.0.1:PORT')
    .replace(/\/[^\s"'(]*\/\.cache\/interop\//g, '…/')
    .replaceAll('|', '\\|')
    .replace(/\s+/g, ' ')
  return plain.length > shownCharsMax ? `${plain.slice(0, shownCharsMax)}…` : plain
}
