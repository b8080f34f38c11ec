import { HarnessError } from '../../harness-error.ts'
import { isRecord } from '../../json.ts'
import { createWire } from '../../wire/client.ts'
import { isSuccess, readAnswer } from '../answer.ts'
import type { TargetConfig } from '../config.ts'
import { finding } from './find-api.ts'

const waitMs = 5000

/**
 * Throws `HarnessError` (exit 3) where nothing answers at the address of the control API, or it refuses the token: a hundred checks
 * would be undecided, and none of them would say why. Commands of a profile have no address.
 */
export async function reachControl({ control, insecure }: Pick<TargetConfig, 'control' | 'insecure'>): Promise<void> {
  if (control === undefined || !('url' in control)) return
  const { url, token } = control
  const headers = token === undefined ? [] : ([['Authorization', `Bearer ${token}`]] as const)
  const wire = createWire({ insecure })
  const get = async (path: string) => {
    const limits = { silenceMsMax: waitMs, durationMsMax: waitMs }
    return readAnswer(await wire.send({ method: 'GET', url: `${url}/control/v1${path}`, headers }, limits))
  }
  try {
    const health = await get('/health')
    // A gateway may serve the verbs without saying how it is.
    const answer = health.status === 404 ? await get('/models') : health
    const { status, exchange } = answer
    if (status === undefined)
      throw new HarnessError(
        'no-control',
        `Nothing answers at --control ${url} (${exchange.problem ?? exchange.ending}).`,
      )
    if (status === 401 || status === 403)
      throw new HarnessError(
        'control-refused',
        `The control API at ${url} ${token === undefined ? 'asks for a token, and none was given' : `refuses the token with ${status}`}.`,
      )
    if (!isSuccess(answer) || !isRecord(answer.json))
      throw new HarnessError(
        'no-control',
        `Nothing at --control ${url} answers like a control API: ${finding(answer)}.`,
      )
  } finally {
    await wire.close()
  }
}
