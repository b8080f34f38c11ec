import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { npm, run, type Server } from '../server.ts'
import { words } from './words.ts'

const keys = { ASSAY_API_KEY: 'sk-test-aaaa', ASSAY_SECOND_KEY: 'sk-test-bbbb' }

/** A mock server with two keys and one reply, cut into chunks of seven characters. */
export const aimock: Server = {
  name: 'aimock',
  title: '@copilotkit/aimock',
  kind: 'mock',
  from: 'npm',
  versions: [
    '1.43.0',
    '1.42.0',
    '1.40.0',
    '1.37.4',
    '1.35.0',
    '1.29.0',
    '1.27.1',
    '1.22.0',
    '1.17.0',
    '1.9.0',
    '1.7.0',
  ],
  nodes: 0,
  options: () => ['--api-path', '/v1', '--model', 'gpt-4o'],
  install: (folder, version) => npm(folder, { '@copilotkit/aimock': version }),
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
