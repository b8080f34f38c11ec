import type { Report } from '../report.ts'
import { failuresInOrder } from '../roots.ts'
import type { Rules } from '../rule.ts'
import { failureLines } from '../said.ts'
import { replayLine } from './replay-line.ts'

/** SARIF 2.1.0: the checks are its rules, failures its results. A gateway has no source line: the place is its address. */
export function renderSarif(report: Report, rules: Rules): string {
  const { harness, target, run, results } = report
  const used = results.map(({ id }) => id)
  const log = {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: {
            name: harness.name,
            semanticVersion: harness.version,
            rules: used.map((id) => ruleOf(id, rules)),
          },
        },
        automationDetails: { id: `assay/${target.model ?? 'no-model'}` },
        invocations: [
          {
            executionSuccessful:
              report.gate.exitCode !== 130 && results.every(({ verdict }) => verdict.kind !== 'error'),
            startTimeUtc: run.startedAt,
            exitCode: report.gate.exitCode,
            exitCodeDescription: report.gate.reason,
          },
        ],
        results: failuresInOrder(results, report.roots).map((result) => ({
          ruleId: result.id,
          ruleIndex: used.indexOf(result.id),
          level: result.level === 'must' ? 'error' : 'warning',
          message: { text: failureLines(result.verdict).join(' ') },
          locations: [
            {
              // Viewers ask for a file; the name says what it stands for.
              physicalLocation: { artifactLocation: { uri: 'gateway' }, region: { startLine: 1 } },
              logicalLocations: [{ fullyQualifiedName: `${target.baseUrl}${target.apiPath}`, kind: 'resource' }],
            },
          ],
          partialFingerprints: { check: result.id },
          properties: { clause: result.clause, replay: replayLine(result, report) },
        })),
      },
    ],
  }
  return `${JSON.stringify(log, null, 2)}\n`
}

function ruleOf(id: string, rules: Rules): object {
  const rule = rules.get(id)
  if (rule === undefined) return { id }
  const statement = rule.statements[0] ?? rule.why
  return {
    id,
    shortDescription: { text: statement },
    fullDescription: { text: [...rule.statements, rule.why].join(' ') },
    help: { text: `${rule.why} ${rule.fix}`, markdown: `${rule.why}\n\n**Fix**: ${rule.fix}` },
    defaultConfiguration: { level: rule.level === 'must' ? 'error' : rule.level === 'should' ? 'warning' : 'note' },
    properties: { tags: [rule.level, `clause ${rule.clause}`] },
  }
}
