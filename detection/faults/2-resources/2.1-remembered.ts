import type { Call, Wrap } from '../../../reference-server/gateway/seams.ts'
import { asJson } from '../../wraps/json.ts'
import { refusal } from '../../wraps/request.ts'
import { isStream, slowStreams } from '../../wraps/stream.ts'
import { onRandomEngine } from '../../wraps/words.ts'
import type { Fault } from '../fault.ts'

/** Gateways that the checks of `suites/2-resources/2.1-remembered.ts` must notice. */
export const rememberedFaults = {
  'stop-kept-for-the-prompt': {
    about: 'The stop sequences of a request also apply to the next one if it has the same prompt and none of its own.',
    breaks: ['stop.not-remembered'],
    wrap: keepingStops,
  },
  'stop-kept-for-the-prompt-on-a-random-engine': {
    about: 'The stop sequences of a request for words of chance also apply to the next one with the same prompt.',
    breaks: ['stop.not-remembered'],
    wrap: () => onRandomEngine(keepingStops()),
  },
  'limit-kept-for-the-key': {
    about: "The max_tokens of a request also applies to the key's next request if that names none.",
    breaks: ['max-tokens.not-remembered'],
    wrap: () => keepingLimits((isRefused) => !isRefused),
  },
  'limit-of-a-refused-request-kept': {
    about: "The max_tokens of a refused request applies to the key's next request if that names none.",
    breaks: ['max-tokens.not-remembered'],
    wrap: () => keepingLimits((isRefused) => isRefused),
  },
  'left-stream-spoils-the-next-request': {
    about: 'The first request after an abandoned stream is answered with 500.',
    breaks: ['stream.left-spoils-nothing'],
    wrap: () => {
      let isSpoilt = false
      return {
        ...slowStreams,
        serve: (real) => async (call) => {
          await real(call)
          if (call.left.aborted && isStream(call) && call.body?.tokensMax === 1000) isSpoilt = true
        },
        readBody: (real) => async (call) => {
          const bytes = await real(call)
          if (!isSpoilt) return bytes
          isSpoilt = false
          throw refusal(500)
        },
      }
    },
  },
  'left-stream-goes-on-in-the-next': {
    about: 'A chunk of an abandoned stream comes at the beginning of the next one.',
    breaks: ['stream.left-reaches-nobody-else'],
    wrap: () => {
      const last = new WeakMap<Call, string>()
      let rest = ''
      return {
        ...slowStreams,
        serve: (real) => (call) => {
          call.left.addEventListener('abort', () => {
            if (call.body?.tokensMax === 400) rest = last.get(call) ?? ''
          })
          return real(call)
        },
        frame: (real) => (data, call) => {
          const before = rest
          const frame = real(data, call)
          rest = ''
          last.set(call, frame)
          return before + frame
        },
      }
    },
  },
} as const satisfies Record<string, Fault>

/** Keeps the max_tokens of a request for the key's next request that has none. */
function keepingLimits(keeps: (isRefused: boolean) => boolean): Wrap {
  const kept = new Map<string, number>()
  return {
    validate: (real) => (value, call) => {
      const { max_tokens: most } = asJson(value)
      const keep = (): void => {
        if (typeof most === 'number' && Number.isInteger(most) && most > 0) kept.set(keyOf(call), most)
      }
      try {
        const request = real(value, call)
        const tokensMax = kept.get(keyOf(call))
        kept.delete(keyOf(call))
        if (keeps(false)) keep()
        return request.tokensMax === undefined && tokensMax !== undefined ? { ...request, tokensMax } : request
      } catch (error) {
        if (keeps(true)) keep()
        throw error
      }
    },
  }
}

function keyOf({ caller }: Call): string {
  return caller?.key.id ?? ''
}

/** Applies the stop sequences of a request to the next one too, if it has the same prompt and none of its own. */
function keepingStops(): Wrap {
  let latest = { number: 0, prompt: '', stop: [] as readonly string[] }
  return {
    job: (real) => (request, model, promptTokens, call) => {
      const job = real(request, model, promptTokens, call)
      const { number } = call
      const prompt = JSON.stringify(job.messages)
      const isNext = number === latest.number + 1 && prompt === latest.prompt
      const { stop } = latest
      latest = { number, prompt, stop: job.stop }
      return isNext && job.stop.length === 0 ? { ...job, stop } : job
    },
  }
}
