import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Packed, pack } from './installed.ts'
import { shell, shellOk } from './shell.ts'

let packed: Packed
beforeAll(async () => {
  packed = await pack()
})
afterAll(() => packed.remove())

describe.each(['22', '24', 'latest'])('the package on Node %s', (node) => {
  test('runs every command from an empty folder', async () => {
    const { folder, bin } = await packed.project(`node-${node}`, node)
    const run = (script: string): ReturnType<typeof shell> => shell(script, { cwd: folder, path: bin })
    const major = (await run('node --version')).out
    if (node !== 'latest') expect(major).toMatch(new RegExp(`^v${node}\\.`))
    expect((await run('npx assay --version')).out.trim().split('\n').at(-1)).toMatch(/^\d+\.\d+\.\d+$/)
    const judged = await run('npx assay conformance --skip load --runs 3 --report json=run.json --evidence kept')
    expect(judged, judged.out).toMatchObject({ exitCode: 0 })
    for (const command of [
      'list',
      'explain stream.ends-with-done',
      'report run.json --report html=run.html --report passport=passport.json',
      'verify kept/latest/run.json',
      'compare run.json run.json',
      'replay chat.answers --evidence kept --base-url http://127.0.0.1:1',
      'load --duration 1 --connections 2 --max-tokens 4 --report json=load.json',
      'detection --only sse-no-done',
    ]) {
      const { exitCode, out } = await run(`npx assay ${command}`)
      // A replay has no gateway here, and says so; on a busy machine a measurement is rightly invalid.
      const allowed = command.startsWith('replay') ? [3] : command.startsWith('load') ? [0, 3] : [0]
      expect(allowed, `${command}: ${out}`).toContain(exitCode)
    }
    for (const server of ['gateway --listen 127.0.0.1:0 --store memory --json', 'node --listen 127.0.0.1:0 --json']) {
      const { out } = await run(`timeout -s TERM 3 npx assay ${server}`)
      expect(out, server).toMatch(/"(baseUrl|url)":"http:\/\/127\.0\.0\.1:\d+/)
    }
  })
})

describe('the package as it is published', () => {
  test('has nothing that its linters object to', async () => {
    const folder = packed.folder('linters')
    writeFileSync(join(folder, 'package.json'), '{"private":true}')
    await shellOk('npm install --no-audit --no-fund publint@0.3.25 @arethetypeswrong/cli@0.18.5', { cwd: folder })
    expect(await shellOk(`npx publint --strict ${packed.tarball}`, { cwd: folder })).toContain('All good')
    await shellOk(`npx attw --profile esm-only ${packed.tarball}`, { cwd: folder })
  })
})
