import type { Draw } from '../draw.ts'
import type { Attempt } from './hold.ts'

/** Some of the checks: a whole run against each behaviour takes hours. */
const selections = [
  ['models.*', 'chat.*'],
  ['stream.*', 'auth.*'],
  ['completion.*', 'http.*'],
  ['chunk.*', 'stop.*'],
  ['usage.*', 'max-tokens.*'],
  ['key.*', 'temperature.*', 'models.*'],
  ['message.*', 'request.*', 'unavailable.*'],
] as const

/** A short run of some checks. */
export function conformanceAttempt(draw: Draw, maxTimeS: number): Attempt {
  const only = draw.pick(selections).flatMap((one) => ['--only', one])
  const limits = ['--max-time', String(maxTimeS), '--timeout', '1000', '--insecure', '--evidence', 'evidence']
  return { args: ['conformance', ...only, ...limits], budgetMs: maxTimeS * 1000 }
}

/** So many silences may the first contact take: four to find the API, and four to find a model. */
const contactSilences = 8
const drainS = 1
const timeoutMs = 1000

/** A short load of a few clients. */
export function loadAttempt(draw: Draw, durationS: number): Attempt {
  const limits = { duration: durationS, drain: drainS, timeout: timeoutMs, connections: 8 }
  const shape = { stream: draw.pick(['on', 'off']), validate: draw.pick(['sample', 'full']) }
  const options = Object.entries({ ...limits, ...shape }).flatMap(([name, value]) => [`--${name}`, String(value)])
  return {
    args: ['load', '--insecure', ...options],
    budgetMs: (durationS + drainS) * 1000 + contactSilences * timeoutMs,
  }
}
