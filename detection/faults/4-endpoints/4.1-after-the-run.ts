import type { Fault } from '../fault.ts'

/** Gateways that the checks of `suites/4-endpoints/4.1-after-the-run.ts` must notice. */
export const afterTheRunFaults = {
  'server-deaf-behind-a-long-stream': {
    about: 'After a stream that was allowed to be very long, the server answers nobody.',
    breaks: ['service.survives-the-run'],
    wrap: () => {
      let deaf = false
      return {
        serve: (real) => async (call) => {
          if (deaf) await new Promise<void>((gone) => call.left.addEventListener('abort', () => gone()))
          else await real(call)
          deaf ||= call.body?.tokensMax === 512
        },
      }
    },
  },
} as const satisfies Record<string, Fault>
