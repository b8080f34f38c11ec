import { callersKey, patient, pip, run, type Server } from '../server.ts'

/** The router of SGLang: it finds out the models of its workers by itself, and gives them the key that it wants of its callers. */
export const sglangRouter: Server = {
  name: 'sglang-router',
  title: 'sglang-router',
  kind: 'gateway',
  from: 'PyPI',
  versions: ['0.3.2'],
  nodes: 2,
  options: () => ['--api-path', '/v1', '--model', 'small', '--node-dialect', 'sglang', ...patient],
  keys: async () => ({ ASSAY_API_KEY: callersKey, ASSAY_NODE_KEY: callersKey }),
  install: (folder, version) => pip(folder, 'sglang-router', [`sglang-router==${version}`]),
  start: (folder, port, nodes) =>
    run(folder, 'venv/bin/sglang-router', [
      ...['launch', '--host', '127.0.0.1', '--port', String(port), '--api-key', callersKey],
      ...['--worker-urls', ...nodes, '--policy', 'round_robin'],
      // As it comes, a worker that failed rests for a minute.
      ...['--health-check-interval-secs', '1', '--health-success-threshold', '1', '--cb-timeout-duration-secs', '1'],
    ]),
}
