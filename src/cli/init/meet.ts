import type { RunPlan } from '../../run/plan.ts'
import { bringUp } from '../../run/subject.ts'
import { chatRequest } from '../../target/chat.ts'
import { prepare } from '../../target/prepare.ts'
import { createTarget, type Target } from '../../target/target.ts'
import type { Found } from './texts.ts'

/** Finds the API, the models and whether a key is needed, by the first contact of every run. Throws where there is none. */
export async function meet(plan: RunPlan): Promise<Found> {
  const { config, close } = await bringUp(plan)
  const target = createTarget(config)
  try {
    const { roster, model } = await prepare(target)
    const { baseUrl, apiPath, insecure, headers, keys } = config
    return {
      baseUrl,
      apiPath,
      models: roster.map(({ id }) => id),
      ...(model !== undefined && { model }),
      insecure,
      hasHeaders: headers.length > 0,
      asksForKey: keys.main !== undefined && model !== undefined && (await refusesWithoutKey(target, model)),
    }
  } finally {
    await target.close()
    await close()
  }
}

async function refusesWithoutKey(target: Target, model: string): Promise<boolean> {
  const { status } = await target.send({ ...chatRequest(model, {}), key: null })
  return status === 401 || status === 403
}
