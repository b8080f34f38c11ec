import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { XMLParser } from 'fast-xml-parser'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type RunningGateway, startGateway } from '../../../reference-server/main.ts'
import { createChance } from '../../../src/load/schedule/chance.ts'
import { type Running, startAssay } from '../assay.ts'
import { type RecordingControl, recordControl } from './recording-control.ts'

/** `ASSAY_INTERRUPTIONS=20` interrupts runs of every check as often; by default it is a few runs of those that open most. */
const often = Number(process.env['ASSAY_INTERRUPTIONS'] ?? 0)
const seed = Number(process.env['ASSAY_INTERRUPTIONS_SEED'] ?? 1)
/** The interruption comes at one of the first calls of the control API; a whole run makes somewhat more. */
const scope =
  often > 0 ? { only: [], calls: 560, times: often } : { only: ['key.*', 'billing.*'], calls: 400, times: 3 }

let folder: string
let gateway: RunningGateway
let control: RecordingControl
let onCall: Parameters<typeof recordControl>[1]

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'assay-interrupt-'))
  gateway = await startGateway({ demo: true, control: {} })
  onCall = () => undefined
  control = await recordControl(gateway.control?.url ?? '', (...call) => onCall(...call))
})
afterEach(async () => {
  control.close()
  await gateway.close()
  rmSync(folder, { recursive: true, force: true })
})

function start(...options: readonly string[]): Running {
  const target = ['--base-url', gateway.baseUrl, '--control', control.url, '--load', '--seed', '1']
  const env = { ASSAY_API_KEY: gateway.demo?.apiKey ?? '', ASSAY_CONTROL_TOKEN: gateway.control?.token ?? '' }
  return startAssay(['conformance', ...target, ...options], env, folder)
}

const chance = createChance(seed)
const moments = Array.from({ length: scope.times }, () => ({
  call: 1 + Math.floor(chance.unit() * scope.calls),
  signal: chance.unit() < 0.5 ? ('SIGINT' as const) : ('SIGTERM' as const),
}))

describe('an interrupted run', () => {
  test.each(moments)(
    'at call $call of the control API ($signal) leaves nothing open',
    async ({ call, signal }) => {
      let running: Running | undefined
      onCall = (number) => {
        if (number === call) running?.child.kill(signal)
        return undefined
      }
      running = start(...scope.only.flatMap((glob) => ['--only', glob]))
      const { exitCode, out, err } = await running.finished
      expect({ accounts: [...control.accounts], models: [...control.models] }, err).toEqual({
        accounts: [],
        models: [],
      })
      for (const key of control.keys) {
        const headers = { authorization: `Bearer ${key}` }
        expect((await fetch(`${gateway.baseUrl}/api/v1/models`, { headers })).status).toBe(401)
      }
      expect(out).not.toContain('Left on the target')
      expect(err).toContain('Stopping: what is open is undone first')
      expect(out).toMatch(/Not decided: interrupted after \d+ of \d+ checks/)
      expect(exitCode).toBe(130)
    },
    120_000,
  )

  test('while a model is taken down brings it up', async () => {
    let running: Running | undefined
    onCall = (_, { method, url }) => {
      if (method === 'PUT' && url?.endsWith('/nodes') === true) running?.child.kill('SIGINT')
      return undefined
    }
    running = start('--only', 'model.down-and-up')
    const { exitCode, err } = await running.finished
    expect({ exitCode, models: [...control.models] }, err).toEqual({ exitCode: 130, models: [] })
    const models = await fetch(`${gateway.baseUrl}/api/v1/models`, {
      headers: { authorization: `Bearer ${gateway.demo?.apiKey}` },
    })
    expect(await models.json()).toMatchObject({ data: [{ id: 'small' }, { id: 'medium' }, { id: 'large' }] })
  })

  test('says so in every format', async () => {
    let running: Running | undefined
    onCall = (number) => {
      if (number === 20) running?.child.kill('SIGINT')
      return undefined
    }
    const formats = ['json', 'junit', 'html', 'markdown', 'sarif', 'github', 'badge', 'passport']
    running = start('--only', 'key.*', '--only', 'models.*', ...formats.flatMap((one) => ['--report', `${one}=${one}`]))
    const { exitCode, err } = await running.finished
    expect(exitCode, err).toBe(130)
    for (const format of formats)
      expect(readFileSync(join(folder, format), 'utf8'), format).toMatch(/interrupted after \d+ of \d+ checks/)
    const junit = new XMLParser({ ignoreAttributes: false }).parse(readFileSync(join(folder, 'junit'), 'utf8'))
    expect(junit).toMatchObject({ testsuites: { '@_errors': '1' } })
  })

  test('that cannot undo leaves at the second signal, and names what stays open', async () => {
    const closing = Promise.withResolvers<void>()
    let running: Running | undefined
    onCall = (number, { method, url }) => {
      if (number === 20) running?.child.kill('SIGINT')
      if (number < 20 || method !== 'DELETE' || url?.includes('/accounts/') !== true) return undefined
      closing.resolve()
      return 'never'
    }
    running = start('--only', 'key.*')
    await running.hasSaid('Stopping: what is open is undone first')
    await closing.promise
    // Signals that come together are one key press, which npm passes on.
    await sleep(400)
    running.child.kill('SIGINT')
    const { exitCode, out, err } = await running.finished
    const [account = ''] = control.accounts
    expect(err).toMatch(/Left open on the target:\n {2}account /)
    expect(err).toContain(account)
    expect({ exitCode, out }).toEqual({ exitCode: 130, out: '' })
  })

  test('before its first check has nothing to report', async () => {
    const asked = Promise.withResolvers<void>()
    const silent = await recordControl('', () => {
      asked.resolve()
      return 'never'
    })
    const { child, finished } = startAssay(['conformance', '--base-url', silent.url], {}, folder)
    await asked.promise
    child.kill('SIGINT')
    const { exitCode, out, err } = await finished
    silent.close()
    expect(err).toContain('Interrupted before anything was known.')
    expect({ exitCode, out }).toEqual({ exitCode: 130, out: '' })
  })
})
