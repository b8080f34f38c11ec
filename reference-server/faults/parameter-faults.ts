import type { Fault } from './fault.ts'
import { asJson, asksForStream, dropping, type Json, refusing, refusingWith } from './tools.ts'

const number = (body: Json, name: string): number => (typeof body[name] === 'number' ? body[name] : Number.NaN)
const between =
  (name: string, min: number, max: number) =>
  (body: Json): boolean =>
    number(body, name) >= min && number(body, name) <= max

/** Three or four decimals, and not as small as the values right behind a bound. */
const isFine = (value: unknown): boolean =>
  /^-?\d+\.\d{3,4}$/.test(String(value)) && ![2.001, 1.001, -0.001].includes(Number(value))

/** Faults of temperature and top_p. */
export const parameterFaults = {
  'temperature-zero-refused': {
    about: 'Temperature 0 is taken for missing and refused.',
    breaks: ['temperature.in-range-accepted', 'temperature.in-range-accepted-streaming'],
    wrap: () => refusing(between('temperature', 0, 0)),
  },
  'temperature-two-refused': {
    about: 'The upper bound of temperature is exclusive.',
    breaks: ['temperature.in-range-accepted', 'temperature.in-range-accepted-streaming', 'auth.second-key-same-bounds'],
    wrap: () => refusing(between('temperature', 2, 2)),
  },
  'temperature-above-one-refused': {
    about: 'Temperature is validated from 0 to 1.',
    breaks: ['temperature.in-range-accepted', 'temperature.in-range-accepted-streaming', 'auth.second-key-same-bounds'],
    wrap: () => refusing(between('temperature', 1.0001, 2)),
  },
  'temperature-two-refused-streaming': {
    about: 'The upper bound of temperature is exclusive in streams.',
    breaks: ['temperature.in-range-accepted-streaming'],
    wrap: () => refusing((body) => asksForStream(body) && number(body, 'temperature') === 2),
  },
  'temperature-refused-by-one-model': {
    about: 'One model refuses temperatures above 1.',
    breaks: ['temperature.in-range-accepted-each-model'],
    wrap: () => refusing((body) => body['model'] === 'large' && number(body, 'temperature') > 1),
  },
  'temperature-tiny-refused': {
    about: 'A temperature that is not zero and below a thousandth is refused.',
    breaks: ['temperature.in-range-accepted'],
    wrap: () => refusing(between('temperature', 1e-320, 1e-3)),
  },
  'temperature-integers-only': {
    about: 'A temperature that is spelt with a fraction of zero is refused.',
    breaks: ['temperature.in-range-accepted', 'temperature.in-range-accepted-streaming'],
    wrap: () => ({
      parseBody: (real) => (bytes, call) =>
        /"temperature":\s*\d\.0[,}]/.test(bytes.toString())
          ? { ...asJson(real(bytes, call)), temperature: 9 }
          : real(bytes, call),
    }),
  },
  'temperature-three-accepted': {
    about: 'Temperatures above 2 are served.',
    breaks: ['temperature.above-range-refused', 'temperature.out-of-range-refused-streaming'],
    wrap: () => dropping('temperature', (value) => Number(value) > 2),
  },
  'temperature-just-above-accepted': {
    about: 'Temperatures up to 2.05 are served.',
    breaks: ['temperature.above-range-refused', 'temperature.out-of-range-refused-streaming'],
    wrap: () => dropping('temperature', (value) => Number(value) > 2.000002 && Number(value) <= 2.05),
  },
  'temperature-negative-accepted': {
    about: 'Negative temperatures are served.',
    breaks: ['temperature.below-range-refused', 'temperature.out-of-range-refused-streaming'],
    wrap: () => dropping('temperature', (value) => typeof value === 'number' && value < 0),
  },
  'temperature-clamped': {
    about: 'A temperature beyond 100 is cut to 2 in silence.',
    breaks: ['temperature.above-range-refused'],
    wrap: () => dropping('temperature', (value) => Number(value) > 100),
  },
  'temperature-unchecked-in-streams': {
    about: 'Streams take any temperature.',
    breaks: ['temperature.out-of-range-refused-streaming'],
    wrap: () => dropping('temperature', (value, body) => asksForStream(body) && typeof value === 'number'),
  },
  'temperature-unchecked-by-one-model': {
    about: 'One model takes any temperature.',
    breaks: ['temperature.out-of-range-refused-each-model'],
    wrap: () => dropping('temperature', (value, body) => body['model'] === 'medium' && typeof value === 'number'),
  },
  'temperature-out-of-range-is-502': {
    about: 'A temperature out of range is answered like a failed node.',
    breaks: ['temperature.out-of-range-is-client-error'],
    wrap: () => refusingWith(502, (body) => number(body, 'temperature') > 2 || number(body, 'temperature') < 0),
  },
  'temperature-boolean-coerced': {
    about: 'A temperature of true counts as 1.',
    breaks: ['temperature.wrong-type-refused'],
    wrap: () => dropping('temperature', (value) => typeof value === 'boolean'),
  },
  'temperature-infinity-is-500': {
    about: 'A temperature that overflows to infinity crashes the handler.',
    breaks: ['temperature.odd-numbers-no-server-error'],
    wrap: () => refusingWith(500, (body) => Math.abs(number(body, 'temperature')) === Number.POSITIVE_INFINITY),
  },
  'temperature-null-is-500': {
    about: 'A temperature of null crashes the handler.',
    breaks: ['temperature.odd-numbers-no-server-error'],
    wrap: () => refusing((body) => body['temperature'] === null, 500),
  },
  'top-p-zero-refused': {
    about: 'top_p 0 is refused.',
    breaks: ['top-p.in-range-accepted', 'top-p.in-range-accepted-streaming', 'auth.second-key-same-bounds'],
    wrap: () => refusing(between('top_p', 0, 0)),
  },
  'top-p-one-refused': {
    about: 'top_p 1, the default, is refused.',
    breaks: ['top-p.in-range-accepted', 'top-p.in-range-accepted-streaming'],
    wrap: () => refusing(between('top_p', 1, 1)),
  },
  'top-p-one-refused-streaming': {
    about: 'Streams refuse top_p 1.',
    breaks: ['top-p.in-range-accepted-streaming'],
    wrap: () => refusing((body) => asksForStream(body) && number(body, 'top_p') === 1),
  },
  'top-p-zero-is-500': {
    about: 'top_p 0 makes the sampler fail.',
    breaks: ['top-p.in-range-accepted', 'top-p.in-range-accepted-streaming', 'auth.second-key-same-bounds'],
    wrap: () => refusing(between('top_p', 0, 0), 500),
  },
  'top-p-refused-by-one-model': {
    about: 'One model refuses top_p 0.',
    breaks: ['top-p.in-range-accepted-each-model'],
    wrap: () => refusing((body) => body['model'] === 'large' && number(body, 'top_p') === 0),
  },
  'top-p-above-one-accepted': {
    about: 'Values of top_p above 1 are served.',
    breaks: ['top-p.above-range-refused', 'top-p.out-of-range-refused-streaming'],
    wrap: () => dropping('top_p', (value) => Number(value) > 1),
  },
  'top-p-negative-accepted': {
    about: 'Negative values of top_p are served.',
    breaks: ['top-p.below-range-refused', 'top-p.out-of-range-refused-streaming'],
    wrap: () => dropping('top_p', (value) => typeof value === 'number' && value < 0),
  },
  'top-p-unchecked-in-streams': {
    about: 'Streams take any top_p.',
    breaks: ['top-p.out-of-range-refused-streaming'],
    wrap: () => dropping('top_p', (value, body) => asksForStream(body) && typeof value === 'number'),
  },
  'top-p-unchecked-by-one-model': {
    about: 'One model takes any top_p.',
    breaks: ['top-p.out-of-range-refused-each-model'],
    wrap: () => dropping('top_p', (value, body) => body['model'] === 'large' && typeof value === 'number'),
  },
  'top-p-out-of-range-is-500': {
    about: 'A top_p out of range is an error of the server.',
    breaks: ['top-p.out-of-range-is-client-error'],
    wrap: () => refusingWith(500, (body) => number(body, 'top_p') > 1 || number(body, 'top_p') < 0),
  },
  'top-p-string-coerced': {
    about: 'A top_p that is a text is dropped in silence.',
    breaks: ['top-p.wrong-type-refused'],
    wrap: () => dropping('top_p', (value) => typeof value === 'string'),
  },
  'top-p-object-is-500': {
    about: 'A top_p that is null crashes the handler.',
    breaks: ['top-p.odd-numbers-no-server-error'],
    wrap: () => refusing((body) => body['top_p'] === null, 500),
  },
  'sampling-pair-refused': {
    about: 'Temperature 0 and top_p 0 together are refused.',
    breaks: ['sampling.extremes-together-accepted'],
    wrap: () => refusing((body) => number(body, 'temperature') === 0 && number(body, 'top_p') === 0),
  },
  'sampling-second-unchecked': {
    about: 'top_p is not looked at when a temperature is there.',
    breaks: ['sampling.one-bad-of-two-refused'],
    wrap: () =>
      dropping('top_p', (value, body) => typeof value === 'number' && typeof body['temperature'] === 'number'),
  },
  'temperature-unchecked-for-second-key': {
    about: 'One key is trusted with any temperature.',
    breaks: ['auth.second-key-same-bounds'],
    wrap: () => {
      const seen: string[] = []
      return dropping('temperature', (value, _, call) => {
        const id = call.caller?.key.id ?? ''
        if (!seen.includes(id)) seen.push(id)
        return seen.indexOf(id) > 0 && typeof value === 'number'
      })
    },
  },
  'temperature-band-refused': {
    about: 'Temperatures from 0.52 to 0.98 are refused.',
    breaks: ['temperature.in-range-accepted'],
    wrap: () => refusing(between('temperature', 0.52, 0.98)),
  },
  'temperature-fine-fraction-refused': {
    about: 'A temperature with three or four decimals is refused.',
    breaks: ['temperature.random-in-range-accepted'],
    wrap: () => refusing((body) => isFine(body['temperature'])),
  },
  'top-p-fine-fraction-refused': {
    about: 'A top_p with three or four decimals is refused.',
    breaks: ['top-p.random-in-range-accepted'],
    wrap: () => refusing((body) => isFine(body['top_p'])),
  },
  'temperature-fine-fraction-unchecked': {
    about: 'Temperatures with three or four decimals are served, in range or not.',
    breaks: ['temperature.random-out-of-range-refused'],
    wrap: () => dropping('temperature', isFine),
  },
  'top-p-fine-fraction-unchecked': {
    about: 'Values of top_p with three or four decimals are served, in range or not.',
    breaks: ['top-p.random-out-of-range-refused'],
    wrap: () => dropping('top_p', isFine),
  },
  'temperature-above-one-refused-in-streams-of-one-model': {
    about: 'Streams of one model take temperatures up to 1.',
    breaks: ['temperature.in-range-accepted-each-model'],
    wrap: () => refusing((body) => Number(body['temperature']) > 1 && asksForStream(body) && body['model'] === 'large'),
  },
  'temperature-unchecked-in-streams-of-one-model': {
    about: 'Streams of one model take any temperature.',
    breaks: ['temperature.out-of-range-refused-each-model'],
    wrap: () =>
      dropping(
        'temperature',
        (value, body) => typeof value === 'number' && asksForStream(body) && body['model'] === 'medium',
      ),
  },
  'top-p-unchecked-beside-stop': {
    about: 'top_p is not looked at where stop sequences are there.',
    breaks: ['sampling.one-bad-of-two-refused'],
    wrap: () => dropping('top_p', (value, body) => typeof value === 'number' && Array.isArray(body['stop'])),
  },
} as const satisfies Record<string, Fault>
