import { isSuccess } from '../answer.ts'
import { capabilitiesOf } from '../capabilities.ts'
import { chatRequest, modelsPath } from '../chat.ts'
import type { Prepared } from '../prepare.ts'
import type { Request } from '../request.ts'
import type { Target } from '../target.ts'

/** How many time limits of silence make a target that is gone. */
const goneSilences = 6

/** A server that takes no connection for as long does not come back by itself. */
const crashedMs = 15_000

/** Tells a target how it behaves when it is calm, so that the run can wait for that after a silence. */
export function watchTarget(target: Target, { roster, model, works, plainMs, silenceMsMax }: Prepared): void {
  // Nothing was answered at the start that could be waited for.
  if (!works.json && !works.stream && roster.length === 0) return
  const goneMs = goneSilences * silenceMsMax
  target.recovery.watch({
    async ask(mode) {
      const asStream = works.stream && (mode === 'stream' || !works.json)
      const request = plainRequest(asStream || works.json ? model : undefined, asStream)
      const answer = asStream ? await target.stream(request) : await target.send(request)
      const { ending, endedAtMs } = answer.exchange
      if (ending === 'unreachable') return ending
      return isSuccess(answer) && ending !== 'timeout' ? endedAtMs : 'silent'
    },
    plainMs,
    goneMs,
    // Whoever may be restarted is given as long to come back.
    goneUnreachableMs: capabilitiesOf(target.config).has('restart') ? goneMs : Math.min(goneMs, crashedMs),
  })
}

/** A short reply or stream; the list where no model answered at the start. */
function plainRequest(model: string | undefined, asStream: boolean): Request {
  const rest = { isPlain: true, despiteSilence: true } as const
  if (model === undefined) return { method: 'GET', path: modelsPath, ...rest }
  return chatRequest(model, asStream ? { stream: true } : {}, rest)
}
