import {
  asksForStream,
  changingRefusalStatus,
  dropping,
  numberIn,
  refusing,
  refusingText,
} from '../../wraps/request.ts'
import type { Fault } from '../fault.ts'

/** Gateways that the checks of `suites/2-resources/2.1-sampling-types.ts` must notice. */
export const samplingTypesFaults = {
  'temperature-string-coerced-in-streams': {
    about: 'Streams silently drop a temperature that is a word.',
    breaks: ['temperature.wrong-type-refused'],
    wrap: () => dropping('temperature', (value, body) => value === 'high' && asksForStream(body)),
  },
  'temperature-list-takes-first': {
    about: 'A list with one temperature in it is taken as that temperature.',
    breaks: ['temperature.wrong-type-refused'],
    wrap: () => dropping('temperature', (value) => Array.isArray(value) && value.length === 1),
  },
  'bare-nan-is-500': {
    about: 'A bare NaN in a body crashes the handler.',
    breaks: [
      'temperature.odd-numbers-no-server-error',
      'top-p.odd-numbers-no-server-error',
      'max-tokens.odd-values-graceful',
    ],
    wrap: () => refusingText((text) => /:NaN\b/.test(text), 500),
  },
  'temperature-boolean-coerced': {
    about: 'A temperature of true is taken as 1.',
    breaks: ['temperature.wrong-type-refused'],
    wrap: () => dropping('temperature', (value) => typeof value === 'boolean'),
  },
  'temperature-infinity-is-500': {
    about: 'A temperature that overflows to infinity crashes the handler.',
    breaks: ['temperature.odd-numbers-no-server-error'],
    wrap: () =>
      changingRefusalStatus(500, (body) => Math.abs(numberIn(body, 'temperature')) === Number.POSITIVE_INFINITY),
  },
  'temperature-null-is-500': {
    about: 'A temperature of null crashes the handler.',
    breaks: ['temperature.odd-numbers-no-server-error'],
    wrap: () => refusing((body) => body['temperature'] === null, 500),
  },
  'top-p-string-coerced': {
    about: 'A top_p that is a string is silently dropped.',
    breaks: ['top-p.wrong-type-refused'],
    wrap: () => dropping('top_p', (value) => typeof value === 'string'),
  },
  'top-p-object-is-500': {
    about: 'A top_p of null crashes the handler.',
    breaks: ['top-p.odd-numbers-no-server-error'],
    wrap: () => refusing((body) => body['top_p'] === null, 500),
  },
} as const satisfies Record<string, Fault>
