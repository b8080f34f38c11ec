import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { text as readAll } from 'node:stream/consumers'
import { afterAll, describe, expect, test } from 'vitest'
import { packageFolder } from '../fixtures.ts'

const children: ChildProcess[] = []

afterAll(() => {
  for (const child of children) child.kill()
})

function assayNode(...args: readonly string[]) {
  const child = spawn(process.execPath, ['bin/assay.cjs', 'node', '--listen', '127.0.0.1:0', ...args], {
    cwd: packageFolder,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  children.push(child)
  return child
}

describe('assay node', () => {
  test('prints its addresses, serves its models, and ends when it is asked to', async () => {
    const child = assayNode('--control', '127.0.0.1:0', '--model', 'a', '--model', 'b', '--timing', 'small', '--json')
    const [line] = await once(createInterface(child.stdout), 'line')
    const { url, controlUrl } = JSON.parse(line)
    const models = JSON.parse(await (await fetch(`${url}/v1/models`)).text())
    expect(models.data.map(({ id }: { readonly id: string }) => id)).toEqual(['a', 'b'])
    expect((await fetch(`${controlUrl}/control/v1/health`)).status).toBe(200)
    child.kill('SIGTERM')
    expect(await once(child, 'exit')).toEqual([0, null])
  })

  test.each([
    ['--control must look like HOST:PORT', ['--control', 'here']],
    ['--timing is one of instant, small, medium, large, or a file', ['--timing', 'no-such-file']],
    ['firstToken is required', ['--timing', 'fixtures/nodes/html-error-page.json']],
    ['--seed must be a whole number', ['--seed', '1.5']],
  ])('says what is wrong: %s', async (message, args) => {
    const child = assayNode(...args)
    const [errors] = await Promise.all([readAll(child.stderr), once(child, 'exit')])
    expect([child.exitCode, errors]).toEqual([2, expect.stringContaining(message)])
  })
})
