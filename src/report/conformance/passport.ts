import type { Report } from '../report.ts'
import type { Root } from '../roots.ts'
import type { Rules } from '../rule.ts'

/** What a gateway does wherever the contract is silent; none of it is judged. */
export interface Passport {
  readonly schema: 'inference-assay/passport/1'
  readonly target: Report['target']
  readonly contract: Report['contract']
  /** ISO 8601. */
  readonly observedAt: string
  readonly harness: Report['harness']
  /** Ids of the checks that failed: any server of the format claims the first, only this contract demands the second. */
  readonly failed: { readonly format: readonly string[]; readonly contract: readonly string[] }
  /** Why there are fewer observations than there could be. */
  readonly incomplete?: string
  readonly observations: readonly Observation[]
}

export interface Observation {
  readonly id: string
  readonly clause: string
  /** What was looked at, in the words of the contract. */
  readonly statement: string
  /** Any JSON value. */
  readonly value: unknown
}

export function passportOf({ target, contract, run, harness, gate, roots, results }: Report, rules: Rules): Passport {
  return {
    schema: 'inference-assay/passport/1',
    target,
    contract,
    observedAt: run.startedAt,
    harness,
    failed: { format: idsOf(roots, 'format'), contract: idsOf(roots, 'contract') },
    ...(gate.exitCode === 130 && { incomplete: gate.reason }),
    observations: results.flatMap(({ id, clause, verdict }) =>
      verdict.kind === 'observed'
        ? [{ id, clause, statement: rules.get(id)?.statements[0] ?? '', value: verdict.value }]
        : [],
    ),
  }
}

function idsOf(roots: readonly Root[], scope: Root['scope']): readonly string[] {
  return roots.filter((root) => root.scope === scope).map(({ id }) => id)
}

export function renderPassport(report: Report, rules: Rules): string {
  return `${JSON.stringify(passportOf(report, rules), null, 2)}\n`
}
