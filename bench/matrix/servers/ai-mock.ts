import { pip, run, type Server } from '../server.ts'

/** A mock server as it comes: it repeats the last message and asks for no key. */
export const aiMock: Server = {
  name: 'ai-mock',
  title: 'ai-mock',
  kind: 'mock',
  from: 'PyPI',
  versions: ['0.3.1'],
  nodes: 0,
  options: () => ['--api-path', '/openai', '--model', 'small'],
  install: (folder, version) => pip(folder, 'uvicorn', [`ai-mock==${version}`]),
  start: (folder, port) =>
    run(folder, 'venv/bin/uvicorn', ['mockai.server:app', '--host', '127.0.0.1', '--port', String(port)], {
      MOCKAI_EMBEDDING_SIZE: '16',
    }),
  keys: async () => ({ ASSAY_API_KEY: 'sk-any-0123456789' }),
}
