import { HarnessError } from '../harness-error.ts'
import type { HeaderList } from '../wire/transcript.ts'

/** Drops the members that are undefined. */
export function optional<T extends object>(members: T): { readonly [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>
  }
}

/** The gateway's address without the API path, and the path with a leading slash. */
export function readTargetAddress(
  base: string | undefined,
  path: string | undefined,
  option = '--base-url',
): { readonly baseUrl?: string; readonly apiPath: string } {
  const apiPath = `/${(path ?? '/api/v1').replace(/^\/+|\/+$/g, '')}`
  if (base === undefined) return { apiPath }
  const url = URL.canParse(base) ? new URL(base) : undefined
  if (url === undefined || !['http:', 'https:'].includes(url.protocol)) {
    throw new HarnessError('usage', `${option} must be an http or https address, got "${base}".`)
  }
  if (url.username !== '' || url.password !== '')
    throw new HarnessError('usage', `${option} must not hold credentials; use --api-key or --header.`)
  const address = (url.origin + url.pathname).replace(/\/+$/, '')
  // The address may already end in the API path.
  return {
    baseUrl: address.endsWith(apiPath) ? address.slice(0, -apiPath.length) : address,
    apiPath: apiPath === '/' ? '' : apiPath,
  }
}

/** One "Name: value". */
export function readHeader(header: string): HeaderList[number] {
  const [, name, value] = /^([!#$%&'*+.^_`|~\w-]+):\s*(.*)$/.exec(header) ?? []
  if (name === undefined || value === undefined)
    throw new HarnessError('usage', `--header must look like 'Name: value', got "${header.split(':')[0]}".`)
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
    throw new HarnessError('usage', `--control must be an http or https address, got "${url}".`)
  return { url: url.replace(/\/(control\/v1\/?)?$/, ''), ...(token !== undefined && { token }) }
}
