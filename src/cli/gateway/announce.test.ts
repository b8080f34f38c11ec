import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { startGateway } from '../../../reference-server/main.ts'
import type { CommandIo } from '../command.ts'
import { announceGateway } from './announce.ts'

test('a demonstration ends in lines that a shell takes as they are, the last of them a run of the checks', async () => {
  const gateway = await startGateway({ demo: true, control: {}, dashboard: {} })
  const lines: string[] = []
  const io: Pick<CommandIo, 'out' | 'err'> = { out: (line) => void lines.push(line), err: () => {} }
  announceGateway(gateway, { isJson: false, isTokenGiven: false, isPasswordGiven: false }, io)
  const text = lines.join('\n')
  expect(text).toMatch(/demo@example\.com signs in with \w+ and sees/)
  expect(text).toMatch(/The operator signs in with \S+ \(ASSAY_OPERATOR_PASSWORD sets another\)/)
  const [, pasted = ''] = text.split('paste into another terminal:\n')
  const last = lines.at(-1) ?? ''
  expect(last).toContain(`conformance -- --quick --base-url ${gateway.baseUrl} --control ${gateway.control?.url}`)
  // The run itself would take some seconds: its place takes what it would see.
  const seen = 'env | grep -E "^(ASSAY|OPENAI)_" | cut -d= -f1 | sort | tr "\\n" " "'
  const { stdout } = await promisify(execFile)('sh', ['-c', pasted.replace(last, seen)])
  await gateway.close()
  expect(stdout).toMatch(/data: \{.*data: \[DONE\]/s)
  expect(stdout).toContain(
    'ASSAY_API_KEY ASSAY_CONTROL_TOKEN ASSAY_LIMITED_KEY ASSAY_REVOKED_KEY ASSAY_SECOND_KEY ASSAY_UNAVAILABLE_MODEL ASSAY_UNFUNDED_KEY OPENAI_API_KEY OPENAI_BASE_URL',
  )
})

test.each([
  ['the dashboard', { dashboard: {} }, 'sign up in the dashboard'],
  ['the control API', { control: {} }, 'over the control API'],
  ['neither', {}, 'start with --demo'],
])('a gateway with %s and without a demonstration says how to come by a key', async (_, parts, way) => {
  const gateway = await startGateway(parts)
  const lines: string[] = []
  const io: Pick<CommandIo, 'out' | 'err'> = { out: (line) => void lines.push(line), err: () => {} }
  announceGateway(gateway, { isJson: false, isTokenGiven: false, isPasswordGiven: false }, io)
  await gateway.close()
  expect(lines.at(-1)).toMatch(/^Requests need a key/)
  expect(lines.at(-1)).toContain(way)
})
