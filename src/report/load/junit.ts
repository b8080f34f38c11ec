import { escapeXml } from '../xml.ts'
import { objectiveValue } from './objective-value.ts'
import { badOf, type LoadReport } from './report.ts'

/** A test case for each objective and each probe, one for the measurement itself and one for the outcomes. */
export function renderLoadJunit({ main, plan, durationMs, target, probes = [] }: LoadReport): string {
  const { slo, validity, outcomes } = main.result
  const isWhole = validity.verdict === 'valid' || validity.verdict === 'suspect'
  const cases: readonly (readonly [string, string | undefined])[] = [
    ...slo.map(
      (one) =>
        [
          one.expression,
          one.pass ? undefined : `measured ${objectiveValue(one, plan.objectives) ?? 'nothing'}`,
        ] as const,
    ),
    ...probes.map(
      ({ probe, verdict, said }) => [`${probe} under load`, verdict === 'fail' ? said : undefined] as const,
    ),
    ['measurement', isWhole ? undefined : validity.reasons.join('; ')],
    ['outcomes', outcomes.ok > 0 ? undefined : `${badOf(main.result)} of ${outcomes.sent} requests failed`],
  ]
  const failures = cases.filter(([, failure]) => failure !== undefined).length
  const rows = cases.map(([name, failure]) => {
    const open = `    <testcase classname="load" name="${escapeXml(name)}" time="${(durationMs / 1000).toFixed(3)}"`
    return failure === undefined
      ? `${open}/>`
      : `${open}>\n      <failure message="${escapeXml(failure)}"/>\n    </testcase>`
  })
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="assay load" tests="${cases.length}" failures="${failures}">`,
    `  <testsuite name="load ${escapeXml(target.baseUrl)}" tests="${cases.length}" failures="${failures}" errors="0" skipped="0">`,
    ...rows,
    '  </testsuite>',
    '</testsuites>',
    '',
  ].join('\n')
}
