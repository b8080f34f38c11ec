import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type RunningGateway, startGateway } from '../../reference-server/main.ts'
import { assay } from './assay.ts'
import { freePort } from './free-port.ts'

const folder = mkdtempSync(join(tmpdir(), 'assay-secrets-'))
const header = 'hunter2-hunter2'
const controlToken = 'control-token-0123456789'
const nodeKey = 'node-key-0123456789'
let gateway: RunningGateway
let baseUrl: string
let keys: Readonly<Record<string, string>>
let everything = ''

/** Runs a command, and keeps all that it printed, to be searched. */
async function run(...args: readonly string[]): Promise<number | null> {
  const { exitCode, out, err } = await assay(args, keys, folder)
  everything += out + err
  return exitCode
}

beforeAll(async () => {
  gateway = await startGateway({
    demo: true,
    control: { token: controlToken },
    store: `sqlite:${join(folder, 'books.sqlite')}`,
    // A gateway that repeats every key it is given.
    wraps: [
      {
        errorAnswer: (real) => (error, call) => {
          const answer = real(error, call)
          return {
            ...answer,
            headers: { ...answer.headers, 'x-echo': String(call.request.headers.authorization ?? '') },
            body: { error: call.request.headers.authorization ?? '' },
          }
        },
      },
    ],
  })
  baseUrl = new URL(gateway.baseUrl).origin
  const { apiKey, secondKey, revokedKey, unfundedKey, limitedKey } = gateway.demo ?? {}
  keys = {
    ASSAY_API_KEY: apiKey ?? '',
    ASSAY_SECOND_KEY: secondKey ?? '',
    ASSAY_REVOKED_KEY: revokedKey ?? '',
    ASSAY_UNFUNDED_KEY: unfundedKey ?? '',
    ASSAY_LIMITED_KEY: limitedKey ?? '',
    ASSAY_AGAINST_KEY: secondKey ?? '',
    ASSAY_CONTROL_TOKEN: controlToken,
  }
})
afterAll(async () => {
  await gateway.close()
  rmSync(folder, { recursive: true, force: true })
})

const files = (formats: string): string[] => formats.split(' ').flatMap((format) => ['--report', format])

test('no command prints or writes a key or a token, neither plain nor in base64 nor URL-encoded', async () => {
  const target = ['--base-url', baseUrl, '--control', gateway.control?.url ?? '', '--header', `X-Secret: ${header}`]
  const formats =
    'terminal json=run.json junit=run.xml html=run.html markdown=run.md sarif=run.sarif github=run.txt badge=run.svg passport=run-passport.html'
  const judged = await run(
    'conformance',
    ...target,
    ...['--runs', '3', '--evidence', 'kept', '--against', baseUrl, '--verbose'],
    ...files(formats),
  )
  expect(judged).toBe(1)
  const port = await freePort()
  const node = { id: 'node', url: `http://127.0.0.1:${port}`, key: nodeKey, models: ['small'] }
  // Its demonstration has the same keys.
  const relaying = await startGateway({ demo: true, nodes: [node] })
  const nodes = ['--nodes', `127.0.0.1:${port}=small`, '--node-key', nodeKey, '--only', 'chat.answers']
  const relayed = await run('conformance', '--base-url', relaying.baseUrl, ...nodes, '--evidence', 'kept-of-nodes')
  await relaying.close()
  expect(relayed).toBe(0)
  const loadFormats = 'terminal json=load.json csv=load.csv html=load.html junit=load.xml prometheus=load.prom'
  const load = ['--duration', '1', '--max-tokens', '4', '--connections', '4', '--model', 'small']
  expect(await run('load', ...target, ...load, ...files(loadFormats))).not.toBe(4)
  expect(await run('report', 'kept/latest/run.json', ...files('terminal html=again.html passport=passport.json'))).toBe(
    0,
  )
  expect(await run('report', 'load.json', ...files('terminal html=load-again.html'))).toBe(0)
  expect(await run('compare', 'run.json', 'kept/latest/run.json', '--html', 'compared.html')).toBe(0)
  expect(await run('verify', 'kept/latest/run.json', '--verbose')).toBe(0)
  const again = ['replay', 'auth.refusal-keeps-key-secret', '--evidence', 'kept']
  expect(await run(...again)).toBe(2)
  expect(await run(...again, '--header', `X-Secret: ${header}`)).toBe(1)
  expect(await run('conformance', '--base-url', 'nowhere', '--api-key', keys['ASSAY_API_KEY'] ?? '')).toBe(2)

  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => /\.\w+/.test(name))
  expect(names.length).toBeGreaterThan(150)
  // Latin-1 keeps every byte of the database file.
  everything += names.map((name) => readFileSync(join(folder, name), 'latin1')).join('\n')
  for (const secret of [...new Set([...Object.values(keys), header, nodeKey])].filter((one) => one !== '')) {
    // And what near misses of a key are made of.
    const pieces = [secret.slice(0, -4), secret.slice(1), secret.toUpperCase(), secret.slice(0, secret.length / 2)]
    for (const form of [secret, ...pieces, base64(secret), encodeURIComponent(secret)])
      expect(everything.includes(form), `a form of ${secret.slice(0, 6)}… was written`).toBe(false)
  }
}, 120_000)

function base64(text: string): string {
  return Buffer.from(text).toString('base64').replace(/=+$/, '')
}
