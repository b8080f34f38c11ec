import { HarnessError } from '../../harness-error.ts'
import type { TargetConfig } from '../../target/config.ts'
import { findApi } from '../../target/contact/find-api.ts'
import { reachControl } from '../../target/contact/reach-control.ts'
import { prepare } from '../../target/prepare.ts'
import { createTarget } from '../../target/target.ts'
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
  try {
    return await meet(given, settings)
  } catch (error) {
    if (!(error instanceof HarnessError) || error.code !== 'budget') throw error
    const seconds = given.durationMsMax / 1000
    throw new HarnessError('target-silent', `${given.baseUrl} did not finish its first answers within ${seconds} s.`)
  }
}

async function meet(given: TargetConfig, { findsApi, fleet, contactSilenceMs }: ContactSettings): Promise<Contacted> {
  await reachControl(given)
  if (given.model !== undefined && (!findsApi || fleet !== undefined)) return { config: given, model: given.model }
  const config = findsApi ? { ...given, apiPath: await findApi({ ...given, timeoutMs: contactSilenceMs }) } : given
  const target = createTarget({ ...config, timeoutMs: contactSilenceMs })
  try {
    const { model } = await prepare(target)
    if (model === undefined)
      throw new HarnessError('usage', `${config.baseUrl}${config.apiPath} lists no model: name one with --model.`)
    return { config, model }
  } finally {
    await target.close()
  }
}
