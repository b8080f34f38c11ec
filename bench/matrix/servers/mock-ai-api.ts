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
  // What its command runs, which would leave a process of its own behind.
  start: (folder, port) =>
    run(folder, 'venv/bin/uvicorn', ['app.openai_app:app', '--host', '127.0.0.1', '--port', String(port)]),
  keys: async () => ({ ASSAY_API_KEY: 'sk-any-0123456789' }),
}
