import { pip, run, type Server } from '../server.ts'

/** The mock server of a load tool, with quick tokens. */
export const guidellm: Server = {
  name: 'guidellm',
  title: 'guidellm mock-server',
  kind: 'mock',
  from: 'PyPI',
  versions: ['0.8.1'],
  nodes: 0,
  options: () => ['--api-path', '/v1', '--max-time', '200'],
  install: (folder, version) => pip(folder, 'guidellm', [`guidellm==${version}`]),
  start: (folder, port) =>
    run(folder, 'venv/bin/guidellm', [
      ...['mock-server', '--host', '127.0.0.1', '--port', String(port), '--model', 'small'],
      ...['--request-latency', '0.02', '--ttft-ms', '5', '--itl-ms', '1'],
    ]),
  keys: async () => ({ ASSAY_API_KEY: 'sk-any-0123456789' }),
}
