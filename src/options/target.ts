import { HarnessError } from '../harness-error.ts'
import type { HeaderList } from '../wire/transcript.ts'
import { whyNoHeaderCarries } from './usable-key.ts'

/** Drops the members that are undefined. */
export function optional<T extends object>(members: T): { readonly [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>
  }
}

/** Where a gateway is. */
export interface TargetAddress {
  /** Without the API path. Absent for the embedded gateway. */
  readonly baseUrl?: string
  /** With a leading slash; empty for none. */
  readonly apiPath: string
  /** Whether the path was said; otherwise it is only the likeliest one. */
  readonly isDecided: boolean
}

const contractPath = '/api/v1'

/** Reads an address as people have it at hand: an origin, one that ends in the API path, or the URL of an endpoint. */
export function readTargetAddress(
  base: string | undefined,
  path: string | undefined,
  option = '--base-url',
): TargetAddress {
  const said = path === undefined ? undefined : `/${path.replace(/^\/+|\/+$/g, '')}`.replace(/^\/$/, '')
  if (base === undefined) return { apiPath: said ?? contractPath, isDecided: true }
  const address = readHttpAddress(base, option)
  // A version at the end is taken by its word, together with what usually stands before it.
  const [tail] = said === undefined ? (/(\/api|\/openai)?\/v\d[^/]*$/.exec(new URL(address).pathname) ?? []) : [said]
  const apiPath = said ?? tail ?? contractPath
  return {
    baseUrl: tail !== undefined && address.endsWith(tail) ? address.slice(0, address.length - tail.length) : address,
    apiPath,
    isDecided: said !== undefined,
  }
}

/** Without a slash at its end, and without the endpoint. */
function readHttpAddress(text: string, option: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !['http:', 'https:'].includes(url.protocol))
    throw new HarnessError('usage', `${option} must be an http or https address, got "${text}".${withScheme(text)}`)
  if (url.username !== '' || url.password !== '')
    throw new HarnessError('usage', `${option} must not hold credentials; use --api-key or --header.`)
  if (url.search !== '' || url.hash !== '')
    throw new HarnessError(
      'usage',
      `${option} must end before "${url.search}${url.hash}": requests would not carry it.`,
    )
  return (url.origin + url.pathname).replace(/\/+$/, '').replace(/\/(chat\/completions|models)$/, '')
}

/** What an address without a scheme was probably meant to be. */
function withScheme(text: string): string {
  const [, host = '', port] = /^(?:\/\/)?([\w.-]+|\[[\da-f:]+\])(:\d+)?(?:\/\S*)?$/i.exec(text) ?? []
  const isLocal = /^(localhost|127\.|10\.|192\.168\.|\[)/.test(host)
  if (host === '' || !(isLocal || host.includes('.') || port !== undefined)) return ''
  return ` Did you mean "${isLocal || port !== undefined ? 'http' : 'https'}://${text.replace(/^\/\//, '')}"?`
}

/** One "Name: value". */
export function readHeader(header: string): HeaderList[number] {
  const [, name, value] = /^([!#$%&'*+.^_`|~\w-]+):\s*(.*)$/s.exec(header) ?? []
  if (name === undefined || value === undefined)
    throw new HarnessError('usage', `--header must look like 'Name: value', got "${header.split(':')[0]}".`)
  const problem = whyNoHeaderCarries(value)
  if (problem !== undefined) throw new HarnessError('header-unusable', `--header ${name} ${problem}.`)
  return [name, value]
}

/** Where the control API is, without its own path. */
export function readControlAddress(
  url: string | undefined,
  token: string | undefined,
): { readonly url: string; readonly token?: string } | undefined {
  // A token without an address is no mistake: it may be in the environment for other runs.
  if (url === undefined) return undefined
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    throw new HarnessError('usage', `--control must be an http or https address, got "${url}".${withScheme(url)}`)
  return { url: url.replace(/\/(control\/v1\/?)?$/, ''), ...(token !== undefined && { token }) }
}
