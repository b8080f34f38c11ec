import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Candidate, npm, run } from '../candidate.ts'
import { words } from './words.ts'

const keys = { ASSAY_API_KEY: 'sk-test-aaaa' }

/** A mock server with one key, and one reply to any single user message. */
export const openaiMockApi: Candidate = {
  name: 'openai-mock-api',
  title: 'openai-mock-api 0.4.0',
  nodes: 0,
  options: () => ['--api-path', '/v1', '--model', 'gpt-4o'],
  install: (folder) => npm(folder, { 'openai-mock-api': '0.4.0' }),
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
