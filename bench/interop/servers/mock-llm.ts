import { type Candidate, npm, run } from '../candidate.ts'

/** A mock server as it comes: it repeats the last message and asks for no key. */
export const mockLlm: Candidate = {
  name: 'mock-llm',
  title: '@dwmkerr/mock-llm 0.1.29',
  nodes: 0,
  options: () => ['--api-path', '/v1'],
  install: (folder) => npm(folder, { '@dwmkerr/mock-llm': '0.1.29' }),
  start: (folder, port) => run(folder, 'node_modules/.bin/mock-llm', [], { HOST: '127.0.0.1', PORT: String(port) }),
  keys: async () => ({ ASSAY_API_KEY: 'any' }),
}
