import { isSuccess } from '../answer.ts'
import { chatRequest, modelsPath } from '../chat.ts'
import type { Prepared } from '../prepare.ts'
import type { Request } from '../request.ts'
import type { Target } from '../target.ts'

/** How many time limits of silence make a target that is gone. */
const goneSilences = 6

/** Tells a target how it behaves when it is calm, so that the run can wait for that after a silence. */
export function watchTarget(target: Target, { roster, model, works, plainMs, silenceMsMax }: Prepared): void {
  // Nothing was answered at the start that could be waited for.
  if (!works.json && !works.stream && roster.length === 0) return
  target.recovery.watch({
    async ask(mode) {
      const asStream = works.stream && (mode === 'stream' || !works.json)
      const request = plainRequest(asStream || works.json ? model : undefined, asStream)
      const answer = asStream ? await target.stream(request) : await target.send(request)
      return isSuccess(answer) && answer.exchange.ending !== 'timeout' ? answer.exchange.endedAtMs : undefined
    },
    plainMs,
    goneMs: goneSilences * silenceMsMax,
  })
}

/** A short reply or stream; the list where no model answered at the start. */
function plainRequest(model: string | undefined, asStream: boolean): Request {
  const rest = { isPlain: true, despiteSilence: true } as const
  if (model === undefined) return { method: 'GET', path: modelsPath, ...rest }
  return chatRequest(model, asStream ? { stream: true } : {}, rest)
}
