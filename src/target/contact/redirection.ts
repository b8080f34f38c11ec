import { HarnessError } from '../../harness-error.ts'
import { headerOf } from '../../wire/transcript.ts'
import type { Answer } from '../answer.ts'

/**
 * The error for a server that sends every request elsewhere, which would be told once for each path; undefined where one of these
 * answers is something else, or where they lead to several places.
 */
export function redirected(baseUrl: string, answers: readonly Answer[]): HarnessError | undefined {
  const places = answers.map((answer) => placeOf(baseUrl, answer))
  const [first] = places
  if (first === undefined) return undefined
  const { base, origin } = first
  if (!places.every((place) => place?.base === base && place?.origin === origin)) return undefined
  if (base === undefined)
    return new HarnessError('not-a-gateway', `${baseUrl} redirects every path that was tried to ${origin}.`)
  return new HarnessError('not-a-gateway', `${baseUrl} redirects to ${base}.`, { next: `Pass ${base} as --base-url.` })
}

interface Place {
  readonly origin: string
  /** The address below which the same paths are, if it keeps them: a page to log in at does not. */
  readonly base: string | undefined
}

/** Where a redirect leads, if that is another base address or another server. */
function placeOf(baseUrl: string, { status = 0, exchange }: Answer): Place | undefined {
  const { url } = exchange.request
  const location = headerOf(exchange, 'location')
  if (status < 300 || status >= 400 || location === undefined || !URL.canParse(location, url)) return undefined
  const { origin, pathname } = new URL(location, url)
  const whole = origin + pathname.replace(/\/$/, '')
  const path = url.slice(baseUrl.length)
  const base = whole.endsWith(path) ? whole.slice(0, whole.length - path.length) : undefined
  // What leads to a page of the same server is no place to judge.
  const isElsewhere = base === undefined ? origin !== new URL(baseUrl).origin : base !== baseUrl
  return isElsewhere ? { origin, base } : undefined
}
