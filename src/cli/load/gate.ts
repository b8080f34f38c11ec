import { meetsAll } from '../../load/experiments.ts'
import { wasInterrupted } from '../../load/figures/result.ts'
import type { ProbeResult } from '../../load/probes.ts'
import type { ExitCode } from '../command.ts'
import type { Found } from './experiment.ts'

export interface Gate {
  readonly exitCode: ExitCode
  readonly reason: string
}

/** The measurement itself comes first: invalid figures neither pass nor fail a gate. */
export function gateOf({ main, sweep, knee, baseline }: Found, probes: readonly ProbeResult[]): Gate {
  const { validity, slo, outcomes } = main.result
  if (wasInterrupted(main.result)) return { exitCode: 130, reason: sentence(validity.reasons[0] ?? 'interrupted') }
  if (knee !== undefined) {
    if (knee.undecided !== undefined) return { exitCode: 3, reason: 'Not decided: the knee was not found' }
    return knee.value === null
      ? { exitCode: 1, reason: 'No load that was tried meets the objectives' }
      : { exitCode: 0, reason: 'The knee was found' }
  }
  const validities = [...(sweep ?? []).map(({ result }) => result.validity), validity]
  const invalid = validities.find(({ verdict }) => verdict === 'invalid')
  if (invalid !== undefined)
    return { exitCode: 3, reason: `The measurement is not valid: ${invalid.reasons.join('; ')}` }
  if (outcomes.ok === 0) return { exitCode: 3, reason: 'No request succeeded: there is nothing to measure' }
  if (baseline?.direct.outcomes.ok === 0)
    return { exitCode: 3, reason: 'No request to --baseline-url succeeded: there is nothing to compare with' }
  const failed = probes.filter(({ verdict }) => verdict === 'fail').map((one) => one.probe)
  if (failed.length > 0) return { exitCode: 1, reason: `Fails under load: ${failed.join(', ')}` }
  const results = sweep?.map(({ result }) => result) ?? main.runs
  if (results.every(meetsAll))
    return {
      exitCode: 0,
      reason: slo.length === 0 ? 'Measured; --slo would set objectives' : 'Every objective was met',
    }
  const missed = slo.filter(({ pass }) => !pass).map(({ expression }) => expression)
  return {
    exitCode: 1,
    reason: `Missed: ${missed.length === 0 ? 'an objective in one of the runs' : missed.join(', ')}`,
  }
}

function sentence(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1)
}
