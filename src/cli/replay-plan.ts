import { resolve } from 'node:path'
import { checks } from '../../suites/index.ts'
import type { Check } from '../check/check.ts'
import type { CheckId } from '../check/check-ids.ts'
import { HarnessError } from '../harness-error.ts'
import { isRecord, parseJson } from '../json.ts'
import { targetOptions } from '../options/conformance.ts'
import type { Values } from '../options/parse.ts'
import { shared } from '../options/shared.ts'
import { readTargetAddress } from '../options/target.ts'
import { type EvidenceOfCheck, readEvidence, readExchanges, readSelected } from '../report/evidence.ts'
import { evidenceHome } from '../report/evidence-folder.ts'
import type { RunPlan } from '../run/plan.ts'
import { readTargetPlan } from '../run/settings.ts'
import { chatPath } from '../target/chat.ts'
import { bodyText } from '../wire/recorded-exchange.ts'

export const replayOptions = {
  evidence: {
    kind: 'text',
    value: 'DIR',
    about: `the folder of the run, or of several: then the newest (${evidenceHome})`,
  },
  ...targetOptions,
  help: shared.help,
} as const

type ReplayValues = Values<typeof replayOptions>

/** How a check is asked again, from the evidence that it left. */
export function replayPlan(
  check: Check,
  values: ReplayValues,
  folder: string,
): { readonly plan: RunPlan; readonly hasFailed: boolean } {
  const home = resolve(folder, values.evidence ?? evidenceHome)
  const evidence = readEvidence(home, check.id)
  const plan = planOf(evidence, values, folder)
  const sample = check.phase === 'audit' ? sampleIn(home, check.id, evidence.model) : undefined
  const selected = check.ofWholeRun === true ? selectedIn(home, check.id) : [check.id]
  const randomness = { ...plan.randomness, ...(sample !== undefined && { sample }) }
  return { plan: { ...plan, selected, randomness }, hasFailed: evidence.hasFailed }
}

/** The checks of the run: what was kept from it may be what the target does not bear. */
function selectedIn(folder: string, own: CheckId): readonly CheckId[] {
  const ids = readSelected(folder)
  return checks.flatMap(({ id }) => (id === own || ids.includes(id) ? [id] : []))
}

/** The request whose answer showed the failure: an audit looks at what others asked, and alone it would not be asked. */
function sampleIn(folder: string, id: CheckId, model: string | undefined): Record<string, unknown> | undefined {
  const shown = readExchanges(folder, id).at(-1)
  if (shown?.request.method !== 'POST' || !shown.request.url.endsWith(chatPath)) return undefined
  const body = parseJson(bodyText(shown.request.body))
  if (!isRecord(body)) return undefined
  const { model: asked, ...others } = body
  return asked === model ? others : body
}

/** The plan of the run that wrote the evidence; what the user gives takes precedence. */
export function planOf(evidence: EvidenceOfCheck, values: ReplayValues, folder: string): RunPlan {
  const { embedded, nodes, nodeDialect, controlUrl, counterexample, seed, runs, settlingMs, timeoutMs } = evidence
  const { 'base-url': given, ...others } = values
  const isElsewhere = given !== undefined && readTargetAddress(given, evidence.apiPath).baseUrl !== evidence.baseUrl
  const plan = readTargetPlan(
    {
      // The embedded gateway ended with its run, so a new one is started.
      ...(isElsewhere ? { 'base-url': given } : embedded !== true && { 'base-url': evidence.baseUrl }),
      ...(!isElsewhere && { 'api-path': evidence.apiPath }),
      ...(evidence.model !== undefined && !isElsewhere && { model: evidence.model }),
      ...(evidence.unavailableModel !== undefined && { 'unavailable-model': evidence.unavailableModel }),
      ...(evidence.contextWindow !== undefined && { 'context-window': evidence.contextWindow }),
      ...(controlUrl !== undefined && embedded !== true && !isElsewhere && { control: controlUrl }),
      ...(settlingMs !== undefined && { settling: settlingMs / 1000 }),
      ...(timeoutMs !== undefined && { timeout: timeoutMs }),
      ...(evidence.long === true && { long: true }),
      ...(evidence.costly === true && { costly: true }),
      ...(evidence.load === true && { load: true }),
      ...others,
    },
    folder,
  )
  if (!isElsewhere) refuseWithoutHeaders(evidence, plan)
  return {
    ...plan,
    ...(plan.nodes === undefined && nodes !== undefined && { nodes }),
    ...(plan.nodeDialect === undefined && nodeDialect !== undefined && { nodeDialect }),
    randomness:
      counterexample === undefined ? { seed, runs } : { seed: counterexample.seed, runs, path: counterexample.path },
  }
}

/** Without a header that every request had, each answer is another: what would be said of the check is not about it. */
function refuseWithoutHeaders({ headerNames = [] }: EvidenceOfCheck, { target: { headers } }: RunPlan): void {
  const given = headers.map(([name]) => name.toLowerCase())
  const missing = headerNames.filter((name) => !given.includes(name.toLowerCase()))
  if (missing.length === 0) return
  const again = missing.map((name) => `--header '${name}: …'`).join(' ')
  throw new HarnessError('usage', `The run had headers whose values are not kept: give ${again} again.`)
}
