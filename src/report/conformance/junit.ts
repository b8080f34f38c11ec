import type { SerializedResult } from '../../check/result.ts'
import type { Report } from '../report.ts'
import { gravityWords, type Root } from '../roots.ts'
import type { Rules } from '../rule.ts'
import { failureLines, saidOf } from '../said.ts'
import { escapeXml as xml } from '../xml.ts'

/** JUnit XML: one suite per clause, one case per check. What could not be decided is a skipped case that says why. */
export function renderJunit({ results, roots, target, run, gate }: Report, rules: Rules): string {
  const clauses = [...new Set(results.map(({ clause }) => clause))]
  const suites = clauses.map((clause, index) =>
    suite(
      clause,
      results.filter((result) => result.clause === clause),
      run.startedAt,
      index === 0 ? roots : [],
      rules,
    ),
  )
  // Servers show what is missing from a broken-off run only if something of it failed.
  const brokenOff = gate.exitCode === 130 ? [brokenOffSuite(gate.reason)] : []
  suites.push(...brokenOff)
  const attributes = `name="${xml(`inference-assay ${target.baseUrl}`)}" ${totals(results, brokenOff.length)} time="${(run.durationMs / 1000).toFixed(3)}"`
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites ${attributes}>\n${suites.join('\n')}\n</testsuites>\n`
}

function suite(
  clause: string,
  results: readonly SerializedResult[],
  startedAt: string,
  roots: readonly Root[],
  rules: Rules,
): string {
  const lines = [...properties(roots), ...results.map((result) => testcase(result, rules))]
  return `  <testsuite name="clause ${xml(clause)}" ${totals(results)} timestamp="${startedAt}">\n${lines.join('\n')}\n  </testsuite>`
}

/** What to mend first, as properties of the first suite: the format has no other place at its head. */
function properties(roots: readonly Root[]): readonly string[] {
  if (roots.length === 0) return []
  const rows = roots.map(({ id, level, scope, gravity, fix }, index) => {
    const value = `${id} (${level}, ${scope}, ${gravityWords[gravity]}): ${fix}`
    return `      <property name="mend.${index + 1}" value="${xml(value)}"/>`
  })
  return ['    <properties>', ...rows, '    </properties>']
}

function brokenOffSuite(reason: string): string {
  return `  <testsuite name="the run" tests="1" failures="0" errors="1" skipped="0">\n    <testcase name="the run" classname="run">\n      <error message="${xml(reason)}"/>\n    </testcase>\n  </testsuite>`
}

function totals(results: readonly SerializedResult[], extraErrors = 0): string {
  const count = (...kinds: readonly string[]): number =>
    results.filter(({ verdict }) => kinds.includes(verdict.kind)).length
  const known = results.filter(({ verdict, known: entry }) => verdict.kind === 'fail' && entry !== undefined).length
  const skipped = count('untestable', 'blocked', 'not-applicable') + known
  return `tests="${results.length + extraErrors}" failures="${count('fail') - known}" errors="${count('error') + extraErrors}" skipped="${skipped}"`
}

function testcase(result: SerializedResult, rules: Rules): string {
  const { id, level, clause, verdict, durationMs, exchanges, known } = result
  const open = `    <testcase name="${xml(id)}" classname="${level}.${clause}" time="${(durationMs / 1000).toFixed(3)}"`
  switch (verdict.kind) {
    case 'pass':
      return `${open}/>`
    case 'observed':
      return `${open}>\n      <system-out>${xml(JSON.stringify(verdict.value))}</system-out>\n    </testcase>`
    case 'fail': {
      const message = failureLines(verdict).join(' ')
      if (known !== undefined)
        return `${open}>\n      <skipped message="${xml(`known: ${known.reason} (${message})`)}"/>\n    </testcase>`
      const text = [...failureLines(verdict, rules.get(id)?.statements[0]), exchanges.at(-1)?.curl ?? ''].join('\n')
      return `${open}>\n      <failure message="${xml(message)}" type="${level}">${xml(text)}</failure>\n    </testcase>`
    }
    case 'error':
      return `${open}>\n      <error message="${xml(verdict.message)}"/>\n    </testcase>`
    case 'blocked':
      return `${open}>\n      <skipped message="${xml(saidOf(result))}"/>\n    </testcase>`
    case 'untestable':
    case 'not-applicable':
      return `${open}>\n      <skipped message="${xml(`${verdict.kind}: ${verdict.reason}`)}"/>\n    </testcase>`
  }
}
