import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { npm, run, type Server } from '../server.ts'
import { words } from './words.ts'

/** A mock server of scripted conversations, with one reply to whatever it is asked. */
export const llmEmulator: Server = {
  name: 'llm-emulator',
  title: 'llm-emulator',
  kind: 'mock',
  from: 'npm',
  versions: ['0.5.1'],
  nodes: 0,
  options: () => ['--api-path', '/v1', '--model', 'small'],
  install: (folder, version) => npm(folder, { 'llm-emulator': version }),
  start(folder, port) {
    const config = `import { caseWhen, define } from 'llm-emulator'
export default define({ server: { port: ${port} }, cases: [caseWhen('{{any}}', () => ${JSON.stringify(words)})] })
`
    writeFileSync(join(folder, 'config.mjs'), config)
    return run(folder, 'node_modules/.bin/llm-emulator', ['./config.mjs'])
  },
  keys: async () => ({ ASSAY_API_KEY: 'sk-any-0123456789' }),
}
