import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Candidate, npm, run } from '../candidate.ts'
import { words } from './words.ts'

const keys = { ASSAY_API_KEY: 'sk-test-aaaa', ASSAY_SECOND_KEY: 'sk-test-bbbb' }

/** A mock server with two keys and one reply, cut into chunks of seven characters. */
export const aimock: Candidate = {
  name: 'aimock',
  title: '@copilotkit/aimock 1.43.0',
  nodes: 0,
  options: () => ['--api-path', '/v1', '--model', 'gpt-4o'],
  install: (folder) => npm(folder, { '@copilotkit/aimock': '1.43.0' }),
  start(folder, port) {
    writeFileSync(
      join(folder, 'fixtures.json'),
      JSON.stringify({ fixtures: [{ match: {}, response: { content: words } }] }),
    )
    return run(folder, 'node_modules/.bin/llmock', ['-p', String(port), '-f', 'fixtures.json', '-c', '7'], {
      AIMOCK_API_KEYS: Object.values(keys).join(','),
    })
  },
  keys: async () => keys,
}
