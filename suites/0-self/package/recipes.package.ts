import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { faults } from '../../../detection/faults/index.ts'
import { type GatewayOptions, startGateway } from '../../../reference-server/main.ts'
import { packageFolder } from '../../../src/fixtures.ts'
import { type Packed, pack } from './installed.ts'
import { type Ended, shell, shellOk } from './shell.ts'

const examples = join(packageFolder, 'docs', 'examples')

/** The recipes of the pages, in a project of their own, as somebody runs them who copied them. */
describe('a project that uses the package', () => {
  let packed: Packed
  let project: { readonly folder: string; readonly bin: string }
  const at = (child = '') => ({ cwd: join(project.folder, child), path: project.bin })
  beforeAll(async () => {
    packed = await pack()
    project = await packed.project('client', '24')
  })
  afterAll(() => packed.remove())

  test('resolves its types and uses the gateway in its tests', async () => {
    copyFileSync(join(examples, 'client.test.ts'), join(project.folder, 'client.test.ts'))
    writeFileSync(
      join(project.folder, 'tsconfig.json'),
      JSON.stringify({
        compilerOptions: { module: 'nodenext', strict: true, noEmit: true, skipLibCheck: false, types: ['node'] },
      }),
    )
    await shellOk('npm install --no-audit --no-fund typescript@7 @types/node@24 vitest@5 openai@7', at())
    await shellOk('npx tsc', at())
    expect(await shellOk('npx vitest run', at())).toContain('4 passed')
  })

  test('uses the gateway by command in the tests of another language', async ({ skip }) => {
    const { exitCode } = await shell('python3 -c "import venv, ensurepip"', at())
    skip(exitCode !== 0, 'there is no Python with venv on this machine')
    copyFileSync(join(examples, 'test_client.py'), join(project.folder, 'test_client.py'))
    await shellOk('python3 -m venv venv && venv/bin/pip install --quiet pytest==9.* openai==3.*', at())
    expect(await shellOk('venv/bin/pytest -q -p no:cacheprovider test_client.py', at())).toContain('4 passed')
    // What the fixtures started ends with them.
    expect(await shellOk('ps -A -o args', at())).not.toContain(join(project.bin, 'assay'))
  })

  test('gates a gateway with known failures in GitLab, and gets a badge', async () => {
    const listed = readFileSync(join(examples, 'known-failures.yaml'), 'utf8')
    const broken = [faults['sse-no-done'].wrap()]
    expect(await gitlab('known', listed, broken)).toMatchObject({
      exitCode: 0,
      badge: expect.stringMatching(/conformant/),
    })
    expect(await gitlab('new', '', broken)).toMatchObject({ exitCode: 1, badge: expect.stringMatching(/1 failure/) })
    expect(await gitlab('mended', listed, [])).toMatchObject({
      exitCode: 1,
      out: expect.stringMatching(/stream\.ends-with-done/),
    })
  })

  test('puts the badge on a branch of its own in GitHub', async () => {
    const { jobs } = parse(readFileSync(join(examples, 'github.yml'), 'utf8'))
    const { run = '' } = jobs.assay.steps.find(({ name = '' }: { name?: string }) => name.includes('badge')) ?? {}
    const git = 'git -c user.name=a -c user.email=a@b'
    await shellOk(
      `mkdir github && cd github && git init -q --bare origin.git && git init -q checkout && cd checkout && mkdir assay &&
       echo '<svg/>' > assay/badge.svg && ${git} commit -q --allow-empty -m first && git remote add origin ../origin.git`,
      at(),
    )
    for (const text of ['<svg/>', '<svg id="second"/>']) {
      writeFileSync(join(at('github/checkout').cwd, 'assay', 'badge.svg'), text)
      await shellOk(`set -eo pipefail\n${run}`, at('github/checkout'))
      expect((await shellOk('git show badges:badge.svg', at('github/origin.git'))).trim()).toBe(text)
    }
    expect(await shellOk('git status --porcelain', at('github/checkout'))).toBe('?? assay/\n')
  })

  /** Runs the script of the job as GitLab does: line by line in a shell, with the job's variables in the environment. */
  async function gitlab(
    name: string,
    knownFailures: string,
    wraps: NonNullable<GatewayOptions['wraps']>,
  ): Promise<Ended & { readonly badge: string }> {
    const { contract } = parse(readFileSync(join(examples, 'gitlab.yml'), 'utf8'))
    const gateway = await startGateway({ demo: true, wraps })
    mkdirSync(join(project.folder, name))
    writeFileSync(join(project.folder, name, 'known-failures.yaml'), knownFailures)
    const env = {
      ...contract.variables,
      ASSAY_BASE_URL: new URL(gateway.baseUrl).origin,
      ASSAY_API_KEY: gateway.demo?.apiKey,
      ASSAY_ONLY: 'stream.*,models.*',
      ASSAY_RUNS: '3',
    }
    const ended = await shell(`set -e\n${contract.script.join('\n')}`, { ...at(name), env })
    await gateway.close()
    return { ...ended, badge: readFileSync(join(project.folder, name, 'badge.svg'), 'utf8') }
  }
})
