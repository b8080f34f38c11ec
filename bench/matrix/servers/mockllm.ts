import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pip, run, type Server } from '../server.ts'
import { words } from './words.ts'

/** A mock server of prompts and their replies, with one reply to whatever it is asked. */
export const mockllm: Server = {
  name: 'mockllm',
  title: 'mockllm',
  kind: 'mock',
  from: 'PyPI',
  versions: ['0.0.8'],
  nodes: 0,
  // It streams ten tokens a second, and a hundred seconds leave some streams undecided.
  options: () => ['--api-path', '/v1', '--model', 'gpt-4', '--max-time', '200'],
  install: (folder, version) => pip(folder, 'mockllm', [`mockllm==${version}`]),
  start(folder, port) {
    const replies = { responses: {}, defaults: { unknown_response: words } }
    // YAML reads JSON.
    writeFileSync(join(folder, 'responses.yml'), JSON.stringify(replies))
    const where = ['--host', '127.0.0.1', '--port', String(port)]
    return run(folder, 'venv/bin/mockllm', ['start', '--responses', 'responses.yml', ...where])
  },
  keys: async () => ({ ASSAY_API_KEY: 'sk-any-0123456789' }),
}
