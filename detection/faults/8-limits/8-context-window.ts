import type { Call, Wrap } from '../../../reference-server/gateway/seams.ts'
import { asJson } from '../../wraps/json.ts'
import { readingMessages, refusingText } from '../../wraps/request.ts'
import type { Fault } from '../fault.ts'

/** Gateways that the checks of `suites/8-limits/8-context-window.ts` must notice. */
export const contextWindowFaults = {
  'body-limit-of-a-framework': {
    about: 'Bodies above 100 KB are refused with 413.',
    breaks: ['window.large-body-accepted'],
    wrap: () => refusingText((text) => text.length > 100_000, 413),
  },
  'body-limit-of-half-a-megabyte': {
    about: 'Bodies above 512 KB are refused with 413.',
    breaks: ['window.large-body-accepted'],
    wrap: () => refusingText((text) => text.length > 524_288, 413),
  },
  'body-limit-of-sixteen-kilobytes-is-500': {
    about: 'Bodies above 16 KB crash the handler.',
    breaks: ['window.large-body-accepted', 'window.oversize-graceful'],
    wrap: () => refusingText((text) => text.length > 16_384, 500),
  },
  'body-limit-in-streams': {
    about: 'Streams refuse bodies above 100 KB.',
    breaks: ['window.large-body-accepted-streaming'],
    wrap: () => refusingText((text) => text.length > 100_000 && text.includes('"stream":true'), 413),
  },
  'long-prompt-cut': {
    about: 'A prompt is silently cut after 60 KB.',
    breaks: ['window.large-prompt-counted-whole'],
    follows: ['window.excess-counted-whole'],
    wrap: () =>
      readingMessages((one) =>
        typeof asJson(one)['content'] === 'string'
          ? { ...asJson(one), content: String(asJson(one)['content']).slice(0, 60_000) }
          : one,
      ),
  },
  'oversize-is-500': {
    about: 'A prompt beyond the context window crashes the node.',
    breaks: ['window.oversize-graceful'],
    wrap: () => refusingText((text) => text.length > 900_000, 500),
  },
  'prompt-cut-to-the-window': {
    about: 'A prompt beyond the context window is cut to fit and answered.',
    breaks: ['window.excess-counted-whole'],
    wrap: () => countingPrompts((honest, { model }) => Math.min(honest, (model?.contextWindow ?? honest) - 64)),
  },
  'one-window-for-two-models': {
    about: 'A model with a large context window gets the smaller one of another model.',
    breaks: ['window.each-model'],
    wrap: () => ({
      requireRoom: (real) => (promptTokens, model, call) =>
        real(promptTokens, model.id === 'medium' ? { ...model, contextWindow: 65_536 } : model, call),
    }),
  },
  'prompt-counted-in-two-bytes': {
    about: 'Prompt tokens are counted in two bytes, so 65,536 of them count as none.',
    breaks: ['window.large-prompt-counted-whole'],
    wrap: () => countingPrompts((honest) => honest % 65_536),
  },
  'usage-prompt-capped': {
    about: 'Prompts count as fifteen thousand tokens at most.',
    breaks: ['window.large-prompt-counted-whole'],
    wrap: () => countingPrompts((honest) => Math.min(15_000, honest)),
  },
} as const satisfies Record<string, Fault>

/** Counts the tokens of prompts differently. */
function countingPrompts(change: (honest: number, call: Call) => number): Wrap {
  return { countPromptTokens: (real) => (request, call) => change(real(request, call), call) }
}
