import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

const checkout = join(import.meta.dirname, '..', '..', 'bin', 'assay.cjs')
const token = 'servers-test'
const operatorPassword = 'a password of the operator'

/** Where a gateway listens, and what whoever runs it knows. */
export interface GatewayAddresses {
  readonly baseUrl: string
  readonly controlUrl: string
  readonly controlToken: string
  readonly dashboardUrl: string
  readonly metricsUrl: string
  readonly operatorPassword: string
}

/** A gateway in its own process, to be killed, stopped and started again. */
export interface GatewayProcess {
  readonly baseUrl: string
  readonly addresses: GatewayAddresses
  readonly child: ChildProcess
  /** What it has written to standard error. */
  readonly said: readonly string[]
  /** The status of `/ready`. */
  ready(): Promise<number>
  control<T>(method: string, path: string, body?: object): Promise<T>
  /** One request for a reply or a stream; rejects when there is no answer at all. */
  chat(key: string, body?: object, signal?: AbortSignal): Promise<ChatOutcome>
  /** `kill -9`, and waits for the end. */
  kill(): Promise<void>
}

export interface ChatOutcome {
  readonly status: number
  readonly requestId: string | null
  readonly retryAfter: string | null
  /** Empty where it is cut. */
  readonly text: string
  /** Whether the connection was closed before the end of the text. */
  readonly isCut: boolean
}

/** Starts `assay gateway` on free ports and waits until it listens. `assay` is the command, by default the checkout's. */
export async function startGatewayProcess(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  assay: string = checkout,
): Promise<GatewayProcess> {
  const ports = ['--listen', '--control', '--metrics'].flatMap((option) => [option, '127.0.0.1:0'])
  const child = spawn(process.execPath, [assay, 'gateway', ...ports, '--control-token', token, '--json', ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ASSAY_OPERATOR_PASSWORD: operatorPassword, ...env },
  })
  const said: string[] = []
  createInterface(child.stderr).on('line', (line) => said.push(line))
  const first: string = await Promise.race([
    once(createInterface(child.stdout), 'line').then(([line]) => String(line)),
    once(child, 'close').then(() => Promise.reject(new Error(`the gateway did not start: ${said.join()}`))),
  ])
  const { baseUrl, controlUrl, metricsUrl, dashboardUrl = '' } = JSON.parse(first) as Readonly<Record<string, string>>
  if (baseUrl === undefined || controlUrl === undefined || metricsUrl === undefined)
    throw new Error(`the gateway does not say where it listens: ${first}`)
  return {
    baseUrl,
    addresses: { baseUrl, controlUrl, controlToken: token, dashboardUrl, metricsUrl, operatorPassword },
    child,
    said,
    ready: async () => (await fetch(`${metricsUrl}/ready`)).status,
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
      const { status, headers } = response
      const [requestId, retryAfter] = [headers.get('x-request-id'), headers.get('retry-after')]
      const text = await response.text().catch(() => undefined)
      return { status, requestId, retryAfter, text: text ?? '', isCut: text === undefined }
    },
    async kill() {
      const gone = once(child, 'exit')
      child.kill('SIGKILL')
      await gone
    },
  }
}
