import { GatewayError } from '../gateway/gateway-error.ts'
import type { Call, Seams, Wrap } from '../gateway/seams.ts'
import type { Fault } from './fault.ts'
import { charging, free } from './money-tools.ts'
import { asJson, chunks, isStream, refusal, replies, slowly } from './tools.ts'

const keyOf = ({ caller }: Call): string => caller?.key.id ?? ''

/** Keeps a limit of a request for the next one of the key that has none. */
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

/** Answers 503 for a while. */
function closing(): { readonly close: (ms: number) => void; readonly chooseNode: NonNullable<Wrap['chooseNode']> } {
  let openAtMs = 0
  return {
    close: (ms) => {
      openAtMs = performance.now() + ms
    },
    chooseNode: (real) => (model, call) => (performance.now() < openAtMs ? undefined : real(model, call)),
  }
}

/** A model that somebody asked for when it had no node. */
const noticingOutage =
  (notice: (model: string) => void) =>
  (real: Seams['chooseNode']): Seams['chooseNode'] =>
  (model, call) => {
    const node = real(model, call)
    if (node === undefined && call.tried.size === 0) notice(model.id)
    return node
  }

/** Faults in what one request leaves behind for the next. */
export const rememberedFaults = {
  'stop-kept-for-the-prompt': {
    about: 'The stop sequences of a request hold for the next one, if it has the same prompt and names none.',
    breaks: ['stop.not-remembered'],
    wrap: () => {
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
    },
  },
  'limit-kept-for-the-key': {
    about: 'The limit of a request holds for the next request of the key, if it names none.',
    breaks: ['max-tokens.not-remembered'],
    wrap: () => keepingLimits((isRefused) => !isRefused),
  },
  'limit-of-a-refused-request-kept': {
    about: 'The limit of a request that was refused holds for the next request of the key, if it names none.',
    breaks: ['max-tokens.not-remembered'],
    wrap: () => keepingLimits((isRefused) => isRefused),
  },
  'left-stream-spoils-the-next-request': {
    about: 'The request behind a stream that was left is answered with 500.',
    breaks: ['stream.left-spoils-nothing'],
    wrap: () => {
      let isSpoilt = false
      return {
        ...slowly,
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
  'one-model-closes-all': {
    about: 'Who asks for a model without a node closes all models for a moment.',
    breaks: ['unavailable.others-served'],
    follows: [
      'key.limit-is-not-early',
      'key.limit-is-its-own',
      'key.limit-is-not-its-name',
      'billing.unavailable-is-free',
      'model.costs-as-before',
    ],
    wrap: () => {
      const { close, chooseNode } = closing()
      const outages = noticingOutage(() => close(500))
      return { chooseNode: (real) => outages(chooseNode(real)) }
    },
  },
  'bad-requests-close-the-gateway': {
    about: 'Four bad requests in a row are taken for failures of the nodes, which are left alone for a moment.',
    breaks: ['http.bad-requests-close-nothing'],
    follows: ['key.limit-is-not-its-name', 'key.limit-is-its-own', 'key.limit-counts-streams'],
    wrap: () => {
      let strikes = 0
      const { close, chooseNode } = closing()
      return {
        chooseNode,
        errorAnswer: (real) => (error, call) => {
          strikes = error instanceof GatewayError && error.status === 400 ? strikes + 1 : strikes
          if (strikes >= 4) {
            strikes = 0
            close(300)
          }
          return real(error, call)
        },
        newId: (real) => (call) => {
          strikes = 0
          return real(call)
        },
      }
    },
  },
  'price-forgotten-in-an-outage': {
    about: 'A model that was asked for while it had no node is free when it is back.',
    breaks: ['model.costs-as-before'],
    wrap: () => {
      const forgotten = new Set<string>()
      return {
        chooseNode: noticingOutage((model) => forgotten.add(model)),
        ...charging((cost, _, { model }) => (forgotten.has(model?.id ?? '') ? free : cost)),
      }
    },
  },
  'cold-replies-kept': {
    about: 'At temperature 0 the same request gets the reply of the first, with its id.',
    breaks: ['completion.ids-unique-at-zero'],
    follows: ['completion.ids-unique', 'billing.stream-as-reply'],
    wrap: () => {
      const kept = new Map<string, unknown>()
      return replies((reply, _, { body }) => {
        if (body?.temperature !== 0) return reply
        const request = JSON.stringify(body)
        kept.set(request, kept.get(request) ?? reply)
        return kept.get(request)
      })
    },
  },
  'cold-streams-kept': {
    about: 'At temperature 0 the same request gets a stream with the id of the first.',
    breaks: ['completion.ids-unique-at-zero'],
    follows: ['chunk.ids-unique'],
    wrap: () => {
      const kept = new Map<string, unknown>()
      return chunks((chunk, _, { body }) => {
        if (body?.temperature !== 0) return chunk
        const request = JSON.stringify(body)
        kept.set(request, kept.get(request) ?? chunk['id'])
        return { ...chunk, id: kept.get(request) }
      })
    },
  },
} as const satisfies Record<string, Fault>
