import { HarnessError } from '../../harness-error.ts'
import { isSuccess } from '../../target/answer.ts'
import { modelsPath } from '../../target/chat.ts'
import type { TargetConfig } from '../../target/config.ts'
import { findApi, finding } from '../../target/contact/find-api.ts'
import { inItsWords } from '../../target/contact/in-its-words.ts'
import { reachControl } from '../../target/contact/reach-control.ts'
import { prepare } from '../../target/prepare.ts'
import { createTarget, type Target } from '../../target/target.ts'
import type { LoadSettings } from './settings.ts'

/** A target that can be loaded, and the model to ask it for. */
export interface Contacted {
  readonly config: TargetConfig
  readonly model: string
}

type ContactSettings = Pick<LoadSettings, 'findsApi' | 'fleet' | 'contactSilenceMs'>

/**
 * The first contact: finds the API, and the named model or the cheapest listed one that answers. Throws `HarnessError`
 * where there is nothing to load. Where path and model are both named, or a fleet sends the load, nothing is asked.
 */
export async function contact(given: TargetConfig, settings: ContactSettings): Promise<Contacted> {
  await reachControl(given)
  const { findsApi, fleet } = settings
  if (given.model !== undefined && (!findsApi || fleet !== undefined)) return { config: given, model: given.model }
  return meet(given, settings)
}

type MeetSettings = Pick<LoadSettings, 'findsApi' | 'contactSilenceMs'>

async function meet(given: TargetConfig, settings: MeetSettings): Promise<Contacted> {
  try {
    return await ask(given, settings)
  } catch (error) {
    if (!(error instanceof HarnessError) || error.code !== 'budget') throw error
    const seconds = given.durationMsMax / 1000
    throw new HarnessError('target-silent', `${given.baseUrl} did not finish its first answers within ${seconds} s.`)
  }
}

async function ask(given: TargetConfig, { findsApi, contactSilenceMs }: MeetSettings): Promise<Contacted> {
  const config = findsApi ? { ...given, apiPath: await findApi({ ...given, timeoutMs: contactSilenceMs }) } : given
  const target = createTarget({ ...config, timeoutMs: contactSilenceMs })
  try {
    const { model } = await prepare(target)
    if (model === undefined) throw await noModel(target)
    return { config, model }
  } finally {
    await target.close()
  }
}

/** A list that is empty is something else than one that could not be had. */
async function noModel(target: Target): Promise<HarnessError> {
  const { baseUrl, apiPath } = target.config
  const list = await target.send({ method: 'GET', path: modelsPath })
  if (isSuccess(list)) return new HarnessError('usage', `${baseUrl}${apiPath} lists no model: name one with --model.`)
  const said = `${finding(list)}${inItsWords(list, target.config)}`
  return new HarnessError('no-list', `GET ${baseUrl}${apiPath}${modelsPath} answered ${said}.`)
}

const baselineNames = {
  '--base-url': '--baseline-url',
  '--api-path': '--baseline-api-path',
  '--model': '--baseline-model',
}

/**
 * Finds the API of the server behind the gateway, which always is asked. Throws `HarnessError` where it does not answer: there
 * would be nothing to compare with.
 */
export async function contactBaseline(
  { config, model }: Contacted,
  { baseline, contactSilenceMs }: Pick<LoadSettings, 'baseline' | 'contactSilenceMs'>,
): Promise<Contacted | undefined> {
  if (baseline === undefined) return undefined
  const { findsApi, baseUrl, apiPath } = baseline
  const own = { ...config, namedBy: baselineNames, baseUrl, apiPath, model: baseline.model ?? model }
  return meet(own, { findsApi, contactSilenceMs })
}
