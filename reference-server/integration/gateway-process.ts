import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

const assay = join(import.meta.dirname, '..', '..', 'bin', 'assay.cjs')
const token = 'servers-test'

/** A gateway in its own process, to be killed, stopped and started again. */
export interface GatewayProcess {
  readonly baseUrl: string
  readonly child: ChildProcess
  control<T>(method: string, path: string, body?: object): Promise<T>
  /** One request for a reply or a stream; rejects when the gateway dies under it. */
  chat(key: string, body?: object, signal?: AbortSignal): Promise<ChatOutcome>
  /** `kill -9`, and waits for the end. */
  kill(): Promise<void>
}

export interface ChatOutcome {
  readonly status: number
  readonly requestId: string | null
  readonly text: string
}

/** Starts `assay gateway` on free ports and waits until it listens. */
export async function startGatewayProcess(args: readonly string[]): Promise<GatewayProcess> {
  const ports = ['--listen', '127.0.0.1:0', '--control', '127.0.0.1:0']
  const child = spawn(process.execPath, [assay, 'gateway', ...ports, '--control-token', token, '--json', ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ASSAY_OPERATOR_PASSWORD: 'a password of the operator' },
  })
  const first: string = await Promise.race([
    once(createInterface(child.stdout), 'line').then(([line]) => String(line)),
    once(child, 'exit').then(() => Promise.reject(new Error('the gateway did not start'))),
  ])
  const { baseUrl, controlUrl }: { readonly baseUrl: string; readonly controlUrl: string } = JSON.parse(first)
  return {
    baseUrl,
    child,
    async control(method, path, body) {
      const response = await fetch(`${controlUrl}/control/v1${path}`, {
        method,
        headers: { authorization: `Bearer ${token}` },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
      const text = await response.text()
      if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`)
      return text === '' ? {} : JSON.parse(text)
    },
    async chat(key, body = {}, signal) {
      const response = await fetch(`${baseUrl}/api/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}` },
        body: JSON.stringify({ model: 'small', max_tokens: 16, messages: [{ role: 'user', content: 'Hi' }], ...body }),
        ...(signal !== undefined && { signal }),
      })
      return { status: response.status, requestId: response.headers.get('x-request-id'), text: await response.text() }
    },
    async kill() {
      const gone = once(child, 'exit')
      child.kill('SIGKILL')
      await gone
    },
  }
}
