import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { parse } from 'yaml'
import { wrapsNamed } from '../../../detection/catalogue.ts'
import { type RunningGateway, startGateway } from '../../../reference-server/main.ts'
import { init } from '../../../src/cli/init/init.ts'
import { HarnessError } from '../../../src/harness-error.ts'
import { readSettings } from '../../../src/run/settings.ts'

let gateway: RunningGateway
let key: string
let folder: string
beforeAll(async () => {
  gateway = await startGateway({ demo: true, wraps: wrapsNamed(['models-object-wrong']) })
  key = gateway.demo?.apiKey ?? ''
})
afterAll(() => gateway.close())
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'assay-init-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

interface Tried {
  readonly exitCode: number
  readonly out: string
}

/** Runs the command; questions get these answers, and then no more. */
async function initialize(
  args: readonly string[],
  env: Readonly<Record<string, string>> = { ASSAY_API_KEY: key },
  answers: readonly string[] = [],
): Promise<Tried> {
  const lines: string[] = []
  const left = [...answers]
  const out = (line: string): void => void lines.push(line)
  const ask = async (): Promise<string> => left.shift() ?? ''
  const io = { out, err: () => {}, ask, env, folder, live: false, terminal: false, color: false, leave: () => {} }
  const exitCode = await init.run(args, io)
  return { exitCode, out: lines.join('\n') }
}

const textOf = (file: string): string => readFileSync(join(folder, file), 'utf8')

test('finds the API, the models and the key, and writes a profile that a run can take', async () => {
  const { exitCode, out } = await initialize([`${gateway.baseUrl}/v1`])
  expect(exitCode).toBe(0)
  expect(out).toContain(`The API is at ${gateway.baseUrl}/api/v1; it lists 3 models: small, medium, large.`)
  expect(out).toContain('It asks for a key, which stays in the environment (ASSAY_API_KEY).')
  expect(parse(textOf('assay.yaml'))).toEqual({ 'base-url': gateway.baseUrl, 'api-path': '/api/v1', model: 'small' })
  expect(textOf('assay.yaml')).toMatch(/^# {3}ASSAY_API_KEY +required$/m)
  const { plan } = readSettings(['--profile', 'assay.yaml'], {}, folder)
  expect(plan).toMatchObject({
    baseUrl: gateway.baseUrl,
    findsApi: false,
    target: { apiPath: '/api/v1', model: 'small' },
  })
})

test('writes CI files without a key in any file', async () => {
  for (const ci of ['github', 'gitlab']) await initialize([gateway.baseUrl, '--ci', ci, '--yes'])
  const workflow = parse(textOf('.github/workflows/assay.yml'))
  const steps: readonly { readonly run?: string; readonly env?: object }[] = workflow.jobs.conformance.steps
  const judging = steps.find(({ run }) => run?.includes('conformance --profile assay.yaml'))
  expect(judging?.env).toEqual({ ASSAY_API_KEY: `\${{ secrets.ASSAY_API_KEY }}` })
  expect(parse(textOf('assay.gitlab-ci.yml')).assay.script[0]).toContain('conformance --profile assay.yaml')
  expect(textOf('.github/workflows/assay.yml')).toContain('# Start the gateway before this step')
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => /\.ya?ml$/.test(file))
  expect(files).toHaveLength(3)
  for (const file of files) expect(textOf(file), file).not.toContain(key)
})

test('headers, which may hold keys, are not written, and the profile says so', async () => {
  await initialize([gateway.baseUrl, '--header', 'x-tenant: of-mine'])
  expect(textOf('assay.yaml')).toContain('ASSAY_HEADER')
  expect(textOf('assay.yaml')).not.toContain('of-mine')
})

test('asks for the address, and before it overwrites a file', async () => {
  writeFileSync(join(folder, 'assay.yaml'), 'mine')
  const kept = await initialize([], { ASSAY_API_KEY: key }, [gateway.baseUrl, 'n'])
  expect(kept.out).toContain('assay.yaml was left as it is.')
  expect(textOf('assay.yaml')).toBe('mine')
  await initialize([], { ASSAY_API_KEY: key }, [gateway.baseUrl, 'y'])
  expect(textOf('assay.yaml')).toContain('base-url')
  await expect(initialize([], {})).rejects.toThrow('Which gateway? Pass its address')
})

test('lists what fails today, with reasons to fill in, and then the gate passes', async () => {
  const { exitCode, out } = await initialize([gateway.baseUrl, '--known-failures'], {
    ASSAY_API_KEY: key,
    ASSAY_ONLY: 'models.object',
  })
  expect(out).toContain('Gate passed with 1 known failure')
  expect(exitCode).toBe(0)
  expect(parse(textOf('known-failures.yaml'))['models.object']).toMatch(/^not explained yet/)
  expect(parse(textOf('assay.yaml'))).toMatchObject({ 'known-failures': 'known-failures.yaml' })
})

test('an address that is none is called the address, since no option of init names it', async () => {
  const { host } = new URL(gateway.baseUrl)
  await expect(initialize([host])).rejects.toThrow(
    `The address must be an http or https address, got "${host}". Did you mean "http://${host}"?`,
  )
  await expect(initialize(['http://127.0.0.1:1'])).rejects.toThrow(
    /^Nothing answers at http:\/\/127\.0\.0\.1:1 .*\nStart the gateway, or check the address\.$/,
  )
})

test('writes nothing where there is nothing to judge', async () => {
  const failed = await initialize([gateway.baseUrl], {}).catch((error: unknown) => error)
  expect(failed).toBeInstanceOf(HarnessError)
  expect(failed).toMatchObject({ code: 'key-missing', exitCode: 3 })
  expect(existsSync(join(folder, 'assay.yaml'))).toBe(false)
})
