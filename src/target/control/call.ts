import type { Exchange, SentRequest } from '../../wire/transcript.ts'
import type { Wire } from '../../wire/wire.ts'
import { readAnswer } from '../answer.ts'
import type { ControlAddress, ControlConfig } from '../config.ts'
import { Unsettled } from '../unsettled.ts'
import { runHook } from './hooks.ts'
import { isMissing, type Verb, type VerbValues, verbs } from './verbs.ts'

/** Calls one verb, over HTTP or as a command of the profile, and gives its answer as text. */
export type ControlCall = (verb: Verb, values: VerbValues) => Promise<string>

const silenceMsMax = 15_000
/** The replies under way may end first. */
const restartMsMax = 90_000

/** `keep` is given every exchange. */
export function createControlCall(config: ControlConfig, wire: Wire, keep: (exchange: Exchange) => void): ControlCall {
  if ('hooks' in config) return (verb, values) => runHook(config.hooks, verb, values)
  return async (verb, values) => {
    if (verb === 'restart' && config.restartCommand !== undefined)
      return runHook({ restart: config.restartCommand }, verb, values)
    const patienceMs = verb === 'restart' ? restartMsMax : silenceMsMax
    const request = requestOf(config, verb, values)
    const exchange = await wire.send(request, { silenceMsMax: patienceMs, durationMsMax: patienceMs })
    keep(exchange)
    const { status, text } = readAnswer(exchange)
    if (status === undefined) throw controlFailed(verb, `did not answer (${exchange.ending})`)
    if (isMissing(verb, status)) throw new Unsettled('capability', `the control API has no ${verb}`)
    if (status < 200 || status > 299) throw controlFailed(verb, `answered ${status}: ${text.slice(0, 200)}`)
    return text
  }
}

/** Values that the path does not name go into the query of a GET and into the body of the other methods. */
function requestOf({ url, token }: Pick<ControlAddress, 'url' | 'token'>, verb: Verb, values: VerbValues): SentRequest {
  const { method, path } = verbs[verb]
  const rest = Object.entries(values).filter(([name, value]) => value !== undefined && !path.includes(`{${name}}`))
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(values[name])))
  const query = new URLSearchParams()
  if (method === 'GET') for (const [name, value] of rest) query.set(name, String(value))
  const body = method === 'POST' || method === 'PUT' ? JSON.stringify(Object.fromEntries(rest)) : undefined
  return {
    method,
    url: `${url}/control/v1${filled}${query.size > 0 ? `?${query}` : ''}`,
    headers: [
      ...(token === undefined ? [] : ([['Authorization', `Bearer ${token}`]] as const)),
      ...(body === undefined ? [] : ([['Content-Type', 'application/json']] as const)),
    ],
    ...(body !== undefined && { body }),
  }
}

export function controlFailed(verb: Verb, problem: string): Unsettled {
  return new Unsettled('target', `the control API's ${verb} ${problem}`)
}
