import { dropping, numberIn, refusing } from '../../wraps/request.ts'
import type { Fault } from '../fault.ts'

/** Gateways that the checks of `suites/2-resources/2.1-sampling-pairs.ts` must notice. */
export const samplingPairsFaults = {
  'temperature-beside-top-p-unchecked': {
    about: 'temperature is not checked when top_p is present.',
    breaks: ['sampling.one-bad-of-two-refused'],
    wrap: () =>
      dropping('temperature', (value, body) => typeof value === 'number' && typeof body['top_p'] === 'number'),
  },
  'sampling-pair-refused': {
    about: 'Temperature 0 and top_p 0 together are refused.',
    breaks: ['sampling.extremes-together-accepted'],
    wrap: () => refusing((body) => numberIn(body, 'temperature') === 0 && numberIn(body, 'top_p') === 0),
  },
  'sampling-second-unchecked': {
    about: 'top_p is not checked when temperature is present.',
    breaks: ['sampling.one-bad-of-two-refused'],
    wrap: () =>
      dropping('top_p', (value, body) => typeof value === 'number' && typeof body['temperature'] === 'number'),
  },
  'top-p-unchecked-beside-stop': {
    about: 'top_p is not checked when stop sequences are present.',
    breaks: ['sampling.one-bad-of-two-refused'],
    wrap: () => dropping('top_p', (value, body) => typeof value === 'number' && Array.isArray(body['stop'])),
  },
} as const satisfies Record<string, Fault>
