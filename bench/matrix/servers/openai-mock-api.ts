import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { npm, run, type Server } from '../server.ts'
import { words } from './words.ts'

const keys = { ASSAY_API_KEY: 'sk-test-aaaa' }

/** A mock server with one key, and one reply to any single user message. */
export const openaiMockApi: Server = {
  name: 'openai-mock-api',
  title: 'openai-mock-api',
  kind: 'mock',
  from: 'npm',
  versions: ['0.4.0'],
  nodes: 0,
  // It streams all that it has, a word each 50 ms, however little is asked for: the time of long streams is overrated.
  options: () => ['--api-path', '/v1', '--model', 'gpt-4o', '--max-time', '400'],
  install: (folder, version) => npm(folder, { 'openai-mock-api': version }),
  start(folder, port) {
    const messages = [
      { role: 'user', matcher: 'any' },
      { role: 'assistant', content: words },
    ]
    // JSON is YAML.
    writeFileSync(
      join(folder, 'config.yaml'),
      JSON.stringify({ apiKey: keys.ASSAY_API_KEY, responses: [{ id: 'any', messages }] }),
    )
    return run(folder, 'node_modules/.bin/openai-mock-api', ['--config', 'config.yaml', '--port', String(port)])
  },
  keys: async () => keys,
}
