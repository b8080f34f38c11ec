import type { Draw } from '../draw.ts'
import type { Session } from './sign-in.ts'

/** Which of the gateway's servers is spoken to. */
export type Surface = 'api' | 'control' | 'dashboard' | 'metrics'

/** What a client sends on one connection. */
export interface Input {
  readonly surface: Surface
  readonly bytes: Buffer
  /** Whether it is one request that HTTP allows: it must be answered. Of anything else the end may be missing. */
  readonly isRequest: boolean
  /** Whether anything but a refusal would let somebody in. */
  readonly isForbidden?: true
}

/** The gateway as the clients know it: where it is, and what each of them may do. */
export interface Gateway {
  readonly ports: Readonly<Record<Surface, number>>
  readonly key: string
  readonly deletedKey: string
  readonly controlToken: string
  /** The account of the key, to which inputs may do anything. */
  readonly accountId: string
  readonly owner: Session
  readonly operator: Session
}

/** One kind of input; chance chooses the rest. */
export interface Kind {
  readonly about: string
  /** How often it is sent, beside the other kinds. */
  readonly share: number
  make(draw: Draw, gateway: Gateway): Input
}

/** A request with everything that HTTP wants. */
export function requestOf(
  method: string,
  target: string,
  headers: Readonly<Record<string, string>>,
  body: string | Buffer = '',
): Buffer {
  const lines = Object.entries({ Host: 'gateway', ...headers, 'Content-Length': String(Buffer.byteLength(body)) })
  const head = `${method} ${target} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`
  return Buffer.concat([Buffer.from(head, 'latin1'), Buffer.from(body)])
}
