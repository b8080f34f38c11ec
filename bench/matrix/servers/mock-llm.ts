import { npm, run, type Server } from '../server.ts'

/** A mock server as it comes: it repeats the last message and asks for no key. */
export const mockLlm: Server = {
  name: 'mock-llm',
  title: '@dwmkerr/mock-llm',
  kind: 'mock',
  from: 'npm',
  versions: ['0.1.29'],
  nodes: 0,
  options: () => ['--api-path', '/v1'],
  install: (folder, version) => npm(folder, { '@dwmkerr/mock-llm': version }),
  start: (folder, port) => run(folder, 'node_modules/.bin/mock-llm', [], { HOST: '127.0.0.1', PORT: String(port) }),
  keys: async () => ({ ASSAY_API_KEY: 'any' }),
}
