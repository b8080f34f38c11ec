import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type RunningGateway, startGateway } from '../../reference-server/main.ts'
import { assay } from './assay.ts'

const folder = mkdtempSync(join(tmpdir(), 'assay-control-'))
let gateway: RunningGateway
let opened = 0

beforeAll(async () => {
  gateway = await startGateway({
    demo: true,
    control: {},
    wraps: [
      {
        openAccount:
          (real) =>
          (...args) => {
            opened += 1
            return real(...args)
          },
      },
    ],
  })
})

afterAll(async () => {
  await gateway.close()
  rmSync(folder, { recursive: true, force: true })
})

function judge(args: readonly string[], env: Record<string, string> = {}) {
  const key = { ASSAY_API_KEY: gateway.demo?.apiKey ?? '' }
  return assay(['conformance', '--base-url', gateway.baseUrl, ...args], { ...key, ...env }, folder)
}

test('with a control API, billing is judged in new accounts, and nothing is left behind', async () => {
  const { url = '', token = '' } = gateway.control ?? {}
  const run = await judge(['--control', url, '--only', 'billing.*', '--level', 'should'], {
    ASSAY_CONTROL_TOKEN: token,
  })
  expect([run.exitCode, run.out]).toEqual([0, expect.stringMatching(/ 0 fail, .* 0 blocked/)])
  expect(run.out + run.err).not.toContain(token)
  expect(opened).toBeGreaterThan(10)
  expect(run.out).not.toContain('Left on the target')
})

test('a control API that is there and refuses leaves its checks undecided and fails none', async () => {
  const refusing = createServer((request, response) => {
    response.writeHead(request.url === '/control/v1/health' ? 200 : 507).end('{"status":"ok"}')
  })
  await once(refusing.listen(0, '127.0.0.1'), 'listening')
  const url = `http://127.0.0.1:${(refusing.address() as AddressInfo).port}`
  const run = await judge(['--control', url, '--only', 'billing.reply-charged', '--only', 'chat.answers'])
  refusing.close()
  expect([run.exitCode, run.out]).toEqual([0, expect.stringMatching(/openAccount answered 507/)])
})

test('a profile may name commands in place of a control API', async () => {
  const { url = '', token = '' } = gateway.control ?? {}
  const call = (method: string, path: string, body: string): string =>
    `${JSON.stringify(process.execPath)} -e 'const e = process.env; fetch(\`${url}/control/v1${path}\`, { method: "${method}", headers: { authorization: "Bearer ${token}" }${body} }).then((r) => r.text()).then((t) => process.stdout.write(t))'`
  const account = `/accounts/\${e.ASSAY_ACCOUNT_ID}`
  const commands = {
    openAccount: call(
      'POST',
      '/accounts',
      ', body: JSON.stringify({ name: e.ASSAY_NAME, creditUsd: e.ASSAY_CREDIT_USD })',
    ),
    account: call('GET', account, ''),
    createKey: call('POST', `${account}/keys`, ', body: JSON.stringify({ name: e.ASSAY_NAME })'),
    closeAccount: call('DELETE', account, ''),
  }
  const profile = join(folder, 'profile.json')
  writeFileSync(profile, JSON.stringify({ 'control-commands': commands }))
  const run = await judge(['--profile', profile, '--only', 'key.prefix', '--only', 'billing.reply-charged'])
  expect([run.exitCode, run.out]).toEqual([0, expect.stringMatching(/ 0 fail, .* 0 untestable/)])
  writeFileSync(profile, JSON.stringify({ 'control-commands': { sing: 'true' } }))
  expect((await judge(['--profile', profile])).exitCode).toBe(2)
})
