import type { Call, Wrap } from '../../../reference-server/gateway/seams.ts'
import { replyChoices } from '../../wraps/reply.ts'
import { chunkChoices } from '../../wraps/stream.ts'
import { onRandomEngine, randomWords } from '../../wraps/words.ts'
import type { Fault } from '../fault.ts'

/** Gateways that the checks of `suites/2-resources/2.1-finish-reason.ts` must notice. */
export const finishReasonFaults = {
  'finish-reason-stop-when-cut': {
    about: 'A reply cut by max_tokens has finish_reason `stop`.',
    breaks: ['max-tokens.finish-reason'],
    wrap: () => replyChoices((choice) => ({ ...choice, finish_reason: 'stop' })),
  },
  'finish-reason-stop-when-cut-streaming': {
    about: 'A stream cut by max_tokens has finish_reason `stop`.',
    breaks: ['max-tokens.finish-reason-streaming'],
    wrap: sayingStopInStreams,
  },
  'stop-said-at-large-limits': {
    about: 'A reply cut by a max_tokens above 50 has finish_reason `stop`.',
    breaks: ['max-tokens.finish-reason'],
    wrap: () =>
      replyChoices((choice, _, call) =>
        choice['finish_reason'] === 'length' && tokensMaxOf(call) > 50 ? { ...choice, finish_reason: 'stop' } : choice,
      ),
  },
  'stop-said-at-large-limits-streaming': {
    about: 'A stream cut by a max_tokens above 50 has finish_reason `stop`.',
    breaks: ['max-tokens.finish-reason-streaming'],
    wrap: () =>
      chunkChoices((choice, _, call) =>
        choice['finish_reason'] === 'length' && tokensMaxOf(call) > 50 ? { ...choice, finish_reason: 'stop' } : choice,
      ),
  },
  'finish-reason-stop-when-cut-streaming-on-a-random-engine': {
    about: 'A stream of words of chance that max_tokens cut has finish_reason `stop`.',
    breaks: ['max-tokens.finish-reason-streaming'],
    wrap: () => onRandomEngine(sayingStopInStreams(), () => randomWords(70, 90)),
  },
} as const satisfies Record<string, Fault>

function tokensMaxOf({ body }: Call): number {
  return body?.tokensMax ?? 0
}

function sayingStopInStreams(): Wrap {
  return chunkChoices((choice) => ({ ...choice, finish_reason: choice['finish_reason'] === null ? null : 'stop' }))
}
