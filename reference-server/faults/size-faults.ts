import type { Call, Wrap } from '../gateway/seams.ts'
import type { PicoUsd } from '../ledger/money.ts'
import type { Fragment } from '../network/node.ts'
import { stopMatcher } from '../network/stop.ts'
import type { Fault } from './fault.ts'
import { charging, priceOf, pricing } from './money-tools.ts'
import { chunkChoices, isStream, replyChoices, streamed } from './tools.ts'

const limitOf = ({ body }: Call): number => body?.tokensMax ?? 0

/** Sequences that are sought in another way than the node's. */
function passing(change: (stop: readonly string[]) => readonly string[]): Wrap {
  return {
    job: (real) => (request, model, promptTokens, call) => {
      const job = real(request, model, promptTokens, call)
      return { ...job, stop: change(job.stop) }
    },
  }
}

/** Takes the node's whole text without any stop, and ends it where `find` says. */
function cutting(find: (text: string, stop: readonly string[]) => number | undefined): Wrap {
  return {
    generate: (real) =>
      async function* (node, job, signal, call) {
        if (job.stop.length === 0) return yield* real(node, job, signal, call)
        const fragments: Fragment[] = []
        const reply = real(node, { ...job, stop: [] }, signal, call)
        let step = await reply.next()
        for (; !step.done; step = await reply.next()) fragments.push(step.value)
        const end = find(fragments.map(({ text }) => text).join(''), job.stop)
        let at = 0
        for (const fragment of fragments) {
          if (end !== undefined && at >= end) break
          yield { ...fragment, text: fragment.text.slice(0, end === undefined ? undefined : end - at) }
          at += fragment.text.length
        }
        return end === undefined ? step.value : 'stop'
      },
  }
}

/** Where a search finds a text that does not go back behind a mismatch. */
function withoutGoingBack(text: string, sought: string): number {
  let agreed = 0
  for (let at = 0; at < text.length; at += 1) {
    if (text[at] === sought[agreed]) agreed += 1
    else agreed = text[at] === sought[0] && agreed === 0 ? 1 : 0
    if (agreed === sought.length) return at - agreed + 1
  }
  return -1
}

/** Counts the prompt in another way. */
function counting(change: (honest: number, call: Call) => number): Wrap {
  return { countPromptTokens: (real) => (request, call) => change(real(request, call), call) }
}

/** Faults that show beyond a size alone. */
export const sizeFaults = {
  'stop-sought-in-the-beginning': {
    about: 'Stop sequences are sought in the first thousand characters of a reply.',
    breaks: ['stop.late-in-text'],
    wrap: () => ({
      generate: (real) =>
        async function* (node, job, signal, call) {
          if (job.stop.length === 0) return yield* real(node, job, signal, call)
          const matcher = stopMatcher(job.stop)
          let length = 0
          const reply = real(node, { ...job, stop: [] }, signal, call)
          for (;;) {
            const step = await reply.next()
            if (step.done) {
              yield { text: matcher.end().text, tokens: 0 }
              return step.value
            }
            length += step.value.text.length
            const { text, stopped } =
              length < 1000 ? matcher.push(step.value.text) : { text: step.value.text, stopped: false }
            yield { ...step.value, text }
            if (stopped) return 'stop'
          }
        },
    }),
  },
  'stop-search-never-goes-back': {
    about: 'Behind a mismatch the search for a stop sequence goes on, and not back.',
    breaks: ['stop.repeated-letters'],
    follows: ['stop.random-ends-text', 'stop.text-is-exact-prefix', 'stop.across-chunks', 'stop.at-the-end'],
    wrap: () =>
      cutting((text, stop) => {
        const found = stop.map((one) => withoutGoingBack(text, one)).filter((at) => at >= 0)
        return found.length === 0 ? undefined : Math.min(...found)
      }),
  },
  'stop-at-the-end-kept': {
    about: 'A stop sequence that ends the reply is left in it.',
    breaks: ['stop.at-the-end'],
    wrap: () =>
      cutting((text, stop) => {
        const found = stop
          .filter((one) => text.includes(one) && text.indexOf(one) + one.length < text.length)
          .map((one) => text.indexOf(one))
        return found.length === 0 ? undefined : Math.min(...found)
      }),
  },
  'long-stop-ignored': {
    about: 'A stop sequence of more than 64 characters does nothing.',
    breaks: ['stop.long-sequences'],
    wrap: () => passing((stop) => stop.filter((one) => one.length <= 64)),
  },
  'stop-said-at-large-limits': {
    about: 'A reply that a limit of more than 50 tokens cut says `stop`.',
    breaks: ['max-tokens.finish-reason'],
    wrap: () =>
      replyChoices((choice, _, call) =>
        choice['finish_reason'] === 'length' && limitOf(call) > 50 ? { ...choice, finish_reason: 'stop' } : choice,
      ),
  },
  'stop-said-at-large-limits-streaming': {
    about: 'A stream that a limit of more than 50 tokens cut says `stop`.',
    breaks: ['max-tokens.finish-reason-streaming'],
    wrap: () =>
      chunkChoices((choice, _, call) =>
        choice['finish_reason'] === 'length' && limitOf(call) > 50 ? { ...choice, finish_reason: 'stop' } : choice,
      ),
  },
  'large-limit-ignored': {
    about: 'A limit above 256 tokens does nothing in replies.',
    breaks: ['max-tokens.count-within-limit', 'stream.equals-reply-when-long'],
    wrap: () => ({
      job: (real) => (request, model, promptTokens, call) => {
        const job = real(request, model, promptTokens, call)
        return !request.stream && (request.tokensMax ?? 0) > 256 ? { ...job, tokensMax: 4096 } : job
      },
    }),
  },
  'prompt-cut-to-the-window': {
    about: 'A prompt beyond the window is cut to it and answered.',
    breaks: ['window.excess-counted-whole'],
    wrap: () => counting((honest, { model }) => Math.min(honest, (model?.contextWindow ?? honest) - 64)),
  },
  'one-window-for-two-models': {
    about: 'A model of the larger window has the smaller one.',
    breaks: ['window.each-model'],
    wrap: () => ({
      requireRoom: (real) => (promptTokens, model, call) =>
        real(promptTokens, model.id === 'medium' ? { ...model, contextWindow: 65_536 } : model, call),
    }),
  },
  'prompt-counted-in-two-bytes': {
    about: 'Prompt tokens are counted in two bytes: 65536 of them are none.',
    breaks: ['window.large-prompt-counted-whole'],
    wrap: () => counting((honest) => honest % 65_536),
  },
  'last-eight-messages-counted': {
    about: 'The last eight messages of a conversation are counted alone.',
    breaks: ['usage.history-counts'],
    wrap: () => ({
      countPromptTokens: (real) => (request, call) => real({ ...request, messages: request.messages.slice(-8) }, call),
    }),
  },
  'large-prompt-charged-in-two-bytes': {
    about: 'Of a prompt the tokens are charged that two bytes can count.',
    breaks: ['billing.large-prompt-charged'],
    wrap: () =>
      pricing(({ promptTokens, completionTokens }, call) => [
        (promptTokens % 65_536) + completionTokens,
        priceOf(call),
      ]),
  },
  'long-stream-charged-on-the-way': {
    about: 'Streams of 512 tokens and more are charged on the way, and once more as a whole.',
    breaks: ['billing.long-stream-charged'],
    wrap: () =>
      charging((cost, { completionTokens }, call) =>
        isStream(call) && completionTokens >= 512 ? ((cost + cost / 2n) as PicoUsd) : cost,
      ),
  },
  'fragments-with-line-separators-lost': {
    about: 'Fragments of a stream that hold U+0085, U+2028 or U+2029 are lost.',
    breaks: ['stream.equals-reply-unicode'],
    wrap: () => streamed((text) => (/[\u0085\u2028\u2029]/.test(text) ? [] : [text])),
  },
  'prompt-counted-in-ascii': {
    about: 'What is outside ASCII is not counted in a prompt.',
    breaks: ['usage.every-script-counts'],
    follows: ['usage.prompt-counted'],
    wrap: () => ({
      countPromptTokens: (real) => (request, call) => {
        const messages = request.messages.map((one) => ({ ...one, content: one.content.replaceAll(/[^ -~]/g, '') }))
        return real({ ...request, messages }, call)
      },
    }),
  },
  'text-behind-the-marker-lost': {
    about: 'A stream whose text says [DONE] loses what comes behind.',
    breaks: ['stream.equals-reply-unicode'],
    wrap: () => {
      const said = new WeakMap<Call, string>()
      return streamed((text, _, call) => {
        const before = said.get(call) ?? ''
        said.set(call, before + text)
        return before.includes('[DONE]') ? [] : [text]
      })
    },
  },
} as const satisfies Record<string, Fault>
