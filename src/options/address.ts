import { HarnessError } from '../harness-error.ts'

export interface Address {
  readonly host: string
  /** 0 takes any free port. */
  readonly port: number
}

const portMax = 65_535

/** `HOST:PORT`; an IPv6 host may be in brackets. Throws a usage error that names the option. */
export function readAddress(option: string, text: string): Address {
  const [, host = '', port = ''] = /^(?:(.+):|:?)(\d+)$/.exec(text) ?? []
  if (Number(port) > portMax)
    throw new HarnessError('usage', `${option} must have a port of at most ${portMax}, got "${text}".`)
  if (host === '')
    throw new HarnessError('usage', `${option} must look like HOST:PORT, got "${text}".${withHost(text)}`)
  return { host: host.replace(/^\[|\]$/g, ''), port: Number(port) }
}

/** What a port without a host was probably meant to be. */
function withHost(text: string): string {
  const [, port] = /^:?(\d+)$/.exec(text) ?? []
  return port === undefined ? '' : ` Did you mean "127.0.0.1:${port}"?`
}
