import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { packageFolder } from '../../../src/fixtures.ts'
import { copyCheckout } from './checkout.ts'
import { shell, shellOk } from './shell.ts'

/** Nothing builds the image here: its commands run one by one, in folders that stand for those of the image. */
const lines = readFileSync(join(packageFolder, 'Dockerfile'), 'utf8')
  .split('\n')
  .map((line) => /^([A-Z]+) (.*)$/.exec(line))
  .flatMap((match) => (match === null ? [] : [{ verb: match[1] ?? '', rest: match[2] ?? '' }]))
const all = (verb: string): readonly string[] => lines.filter((line) => line.verb === verb).map(({ rest }) => rest)

let root: string
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'assay-image-'))
})
afterAll(() => rmSync(root, { recursive: true, force: true }))

test('the commands of the Dockerfile make an installation whose entry point serves', async () => {
  const [build = '', tmp, global] = ['build', 'tmp', 'global'].map((name) => join(root, name))
  for (const folder of [build, tmp, global]) mkdirSync(folder ?? '')
  await copyCheckout(build)
  for (const command of all('RUN'))
    await shellOk(command.replaceAll('/tmp', tmp ?? ''), { cwd: build, env: { npm_config_prefix: global } })
  const entry = [...JSON.parse(all('ENTRYPOINT')[0] ?? '[]'), ...JSON.parse(all('CMD')[0] ?? '[]')] as string[]
  const command = entry.map((word) => word.replace('0.0.0.0:8080', '127.0.0.1:0')).join(' ')
  const path = [join(global ?? '', 'bin'), join(packageFolder, 'node_modules', '.bin')].join(':')
  const { out } = await shell(`timeout -s TERM 4 ${command} --json`, { cwd: root, path })
  expect(out).toMatch(/^\{"baseUrl":"http:\/\/127\.0\.0\.1:\d+/m)
  expect((await shellOk('assay --version', { cwd: root, path })).trim()).toMatch(/^\d+\.\d+\.\d+$/)
})

test('the image does not run as root', () => {
  expect(all('USER').at(-1)).toBe('node')
})
