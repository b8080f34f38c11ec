import { asJson, type Json } from '../../wraps/json.ts'
import {
  asksForStream,
  changingRefusalStatus,
  dropping,
  numberIn,
  reading,
  refusal,
  refusing,
  refusingText,
} from '../../wraps/request.ts'
import type { Fault } from '../fault.ts'

/** Gateways that the checks of `suites/2-resources/2.1-sampling.ts` must notice. */
export const samplingFaults = {
  'temperature-minus-zero-refused': {
    about: 'A temperature of -0 is refused as negative.',
    breaks: ['temperature.in-range-accepted'],
    wrap: () => refusing((body) => Object.is(body['temperature'], -0)),
  },
  'temperature-with-exponent-refused': {
    about: 'A temperature written with an exponent is refused.',
    breaks: ['temperature.in-range-accepted'],
    wrap: () => refusingText((text) => /"temperature":[\d.]+e-?\d/i.test(text)),
  },
  'temperature-of-many-decimals-refused': {
    about: 'A temperature with more than ten decimals is refused.',
    breaks: ['temperature.in-range-accepted'],
    wrap: () => refusingText((text) => /"temperature":[01]\.\d{11}/.test(text)),
  },
  'temperature-out-of-range-is-500-in-streams': {
    about: 'A stream with an out-of-range temperature is answered with a server error.',
    breaks: ['temperature.out-of-range-is-client-error'],
    wrap: () =>
      changingRefusalStatus(500, (body) => asksForStream(body) && Math.abs(Number(body['temperature']) - 1) > 1),
  },
  'temperature-above-served-below-is-500': {
    about: 'A temperature above the range is served, and a negative one crashes the sampler.',
    breaks: ['temperature.above-range-refused', 'temperature.out-of-range-is-client-error'],
    wrap: () =>
      reading((body) => {
        const value = numberIn(body, 'temperature')
        if (value < 0) throw refusal(500)
        return value > 2 ? { ...body, temperature: 2 } : body
      }),
  },
  'top-p-as-fraction-of-one-refused': {
    about: 'A top_p of one written as 1.0 is refused.',
    breaks: ['top-p.in-range-accepted'],
    wrap: () => refusingText((text) => /"top_p":1\.0/.test(text)),
  },
  'top-p-near-one-refused': {
    about: 'Values of top_p between 0.99 and 1 are refused.',
    breaks: ['top-p.in-range-accepted'],
    wrap: () => refusing((body) => Number(body['top_p']) > 0.99 && Number(body['top_p']) < 1),
  },
  'temperature-zero-refused': {
    about: 'A temperature of 0 is taken as missing and refused.',
    breaks: ['temperature.in-range-accepted'],
    wrap: () => refusing(between('temperature', 0, 0)),
  },
  'temperature-two-refused': {
    about: 'The upper bound of temperature is exclusive: 2 is refused.',
    breaks: ['temperature.in-range-accepted', 'auth.second-key-same-bounds'],
    wrap: () => refusing(between('temperature', 2, 2)),
  },
  'temperature-above-one-refused': {
    about: 'temperature is allowed only from 0 to 1.',
    breaks: ['temperature.in-range-accepted', 'auth.second-key-same-bounds'],
    wrap: () => refusing(between('temperature', 1.0001, 2)),
  },
  'temperature-two-refused-streaming': {
    about: 'In streams the upper bound of temperature is exclusive: 2 is refused.',
    breaks: ['temperature.in-range-accepted-streaming'],
    wrap: () => refusing((body) => asksForStream(body) && numberIn(body, 'temperature') === 2),
  },
  'temperature-refused-by-one-model': {
    about: 'One model refuses temperatures above 1.',
    breaks: ['temperature.in-range-accepted-each-model'],
    wrap: () => refusing((body) => body['model'] === 'large' && numberIn(body, 'temperature') > 1),
  },
  'temperature-tiny-refused': {
    about: 'A temperature above zero and below a thousandth is refused.',
    breaks: ['temperature.in-range-accepted'],
    wrap: () => refusing(between('temperature', 1e-320, 1e-3)),
  },
  'temperature-below-float32-is-500': {
    about: 'A temperature above zero that 32 bits take for zero crashes the sampler.',
    breaks: ['temperature.smallest-accepted'],
    wrap: () => refusing(between('temperature', 1e-323, 1e-39), 500),
  },
  'top-p-below-float32-is-500': {
    about: 'A top_p above zero that 32 bits take for zero crashes the sampler.',
    breaks: ['top-p.smallest-accepted'],
    wrap: () => refusing(between('top_p', 1e-323, 1e-39), 500),
  },
  'temperature-integers-only': {
    about: 'A temperature written with a fraction of zero, such as 1.0, is refused.',
    breaks: ['temperature.in-range-accepted'],
    wrap: () => ({
      parseBody: (real) => (bytes, call) =>
        /"temperature":\s*\d\.0[,}]/.test(bytes.toString())
          ? { ...asJson(real(bytes, call)), temperature: 9 }
          : real(bytes, call),
    }),
  },
  'temperature-three-accepted': {
    about: 'Temperatures above 2 are served.',
    breaks: ['temperature.above-range-refused'],
    wrap: () => dropping('temperature', (value) => Number(value) > 2),
  },
  'temperature-just-above-accepted': {
    about: 'Temperatures up to 2.05 are served.',
    breaks: ['temperature.above-range-refused'],
    wrap: () => dropping('temperature', (value) => Number(value) > 2.000002 && Number(value) <= 2.05),
  },
  'temperature-negative-accepted': {
    about: 'Negative temperatures are served.',
    breaks: ['temperature.below-range-refused'],
    wrap: () => dropping('temperature', (value) => typeof value === 'number' && value < 0),
  },
  'temperature-clamped': {
    about: 'A temperature above 100 is silently lowered to 2.',
    breaks: ['temperature.above-range-refused'],
    wrap: () => dropping('temperature', (value) => Number(value) > 100),
  },
  'temperature-unchecked-in-streams': {
    about: 'Streams accept any temperature.',
    breaks: ['temperature.out-of-range-refused-streaming'],
    wrap: () => dropping('temperature', (value, body) => asksForStream(body) && typeof value === 'number'),
  },
  'temperature-unchecked-by-one-model': {
    about: 'One model accepts any temperature.',
    breaks: ['temperature.out-of-range-refused-each-model'],
    wrap: () => dropping('temperature', (value, body) => body['model'] === 'medium' && typeof value === 'number'),
  },
  'temperature-out-of-range-is-502': {
    about: 'An out-of-range temperature is answered like a failed node.',
    breaks: ['temperature.out-of-range-is-client-error'],
    wrap: () =>
      changingRefusalStatus(502, (body) => numberIn(body, 'temperature') > 2 || numberIn(body, 'temperature') < 0),
  },
  'top-p-zero-refused': {
    about: 'A top_p of 0 is refused.',
    breaks: ['top-p.in-range-accepted', 'auth.second-key-same-bounds'],
    wrap: () => refusing(between('top_p', 0, 0)),
  },
  'top-p-one-refused': {
    about: 'A top_p of 1, the default, is refused.',
    breaks: ['top-p.in-range-accepted'],
    wrap: () => refusing(between('top_p', 1, 1)),
  },
  'top-p-one-refused-streaming': {
    about: 'Streams refuse a top_p of 1.',
    breaks: ['top-p.in-range-accepted-streaming'],
    wrap: () => refusing((body) => asksForStream(body) && numberIn(body, 'top_p') === 1),
  },
  'top-p-zero-is-500': {
    about: 'A top_p of 0 makes the sampler fail.',
    breaks: ['top-p.in-range-accepted', 'auth.second-key-same-bounds'],
    wrap: () => refusing(between('top_p', 0, 0), 500),
  },
  'top-p-refused-by-one-model': {
    about: 'One model refuses a top_p of 0.',
    breaks: ['top-p.in-range-accepted-each-model'],
    wrap: () => refusing((body) => body['model'] === 'large' && numberIn(body, 'top_p') === 0),
  },
  'top-p-above-one-accepted': {
    about: 'Values of top_p above 1 are served.',
    breaks: ['top-p.above-range-refused'],
    wrap: () => dropping('top_p', (value) => Number(value) > 1),
  },
  'top-p-negative-accepted': {
    about: 'Negative values of top_p are served.',
    breaks: ['top-p.below-range-refused'],
    wrap: () => dropping('top_p', (value) => typeof value === 'number' && value < 0),
  },
  'top-p-unchecked-in-streams': {
    about: 'Streams accept any top_p.',
    breaks: ['top-p.out-of-range-refused-streaming'],
    wrap: () => dropping('top_p', (value, body) => asksForStream(body) && typeof value === 'number'),
  },
  'top-p-unchecked-by-one-model': {
    about: 'One model accepts any top_p.',
    breaks: ['top-p.out-of-range-refused-each-model'],
    wrap: () => dropping('top_p', (value, body) => body['model'] === 'large' && typeof value === 'number'),
  },
  'top-p-out-of-range-is-500': {
    about: 'An out-of-range top_p is answered with a server error.',
    breaks: ['top-p.out-of-range-is-client-error'],
    wrap: () => changingRefusalStatus(500, (body) => numberIn(body, 'top_p') > 1 || numberIn(body, 'top_p') < 0),
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
    about: 'Streams of one model refuse temperatures above 1.',
    breaks: ['temperature.in-range-accepted-each-model'],
    wrap: () => refusing((body) => Number(body['temperature']) > 1 && asksForStream(body) && body['model'] === 'large'),
  },
  'temperature-unchecked-in-streams-of-one-model': {
    about: 'Streams of one model accept any temperature.',
    breaks: ['temperature.out-of-range-refused-each-model'],
    wrap: () =>
      dropping(
        'temperature',
        (value, body) => typeof value === 'number' && asksForStream(body) && body['model'] === 'medium',
      ),
  },
} as const satisfies Record<string, Fault>

/** Holds for bodies whose number of this name is from `min` to `max`. */
function between(name: string, min: number, max: number): (body: Json) => boolean {
  return (body) => numberIn(body, name) >= min && numberIn(body, name) <= max
}

/** Has three or four decimals, and is none of the values just outside a bound, which other checks send. */
function isFine(value: unknown): boolean {
  return /^-?\d+\.\d{3,4}$/.test(String(value)) && ![2.001, 1.001, -0.001].includes(Number(value))
}
