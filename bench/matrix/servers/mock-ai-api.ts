import { pip, run, type Server } from '../server.ts'

/** A mock server as it comes: it asks for no key and always says the same. */
export const mockAiApi: Server = {
  name: 'mock-ai-api',
  title: 'mock-ai-api',
  kind: 'mock',
  from: 'PyPI',
  versions: ['0.1.1', '0.1.0'],
  nodes: 0,
  options: () => ['--api-path', '/v1', '--model', 'gpt-4o'],
  install: (folder, version) => pip(folder, 'mock-ai-api', [`mock-ai-api==${version}`]),
  // The second server, which it starts as well, takes any free port.
  start: (folder, port) =>
    run(folder, 'venv/bin/mock-ai-api', ['--openai-port', String(port), '--anthropic-port', '0']),
  keys: async () => ({ ASSAY_API_KEY: 'sk-any-0123456789' }),
}
